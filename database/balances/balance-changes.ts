import { sql } from "kysely";
import { int4, int8, numeric, RowType } from "../binary/rows.js";
import type { Db } from "../database.js";
import { idKey, KeyKind, keyNumber } from "../lists/collections.js";
import { findOrigin } from "../one-connection.js";
import { Statement } from "../statement.js";

/** Databases whose history is known to be complete: it stays complete. */
const whole = new WeakSet<Db>();

/**
 * Whether the history begins with the first block, which distributes the whole supply. Queries the database until it
 * does.
 */
export async function isBalanceHistoryWhole(db: Db): Promise<boolean> {
  if (whole.has(findOrigin(db))) return true;
  const first = await db.selectFrom("balance_changes").select("height").where("height", "=", 1).limit(1).execute();
  if (first.length === 0) return false;
  whole.add(findOrigin(db));
  return true;
}

/** An account and a mosaic. */
export interface Holding {
  /** 24 bytes. */
  readonly address: Buffer;
  readonly mosaicId: bigint;
}

/** A holding after the block at a height. */
export interface PastHolding extends Holding {
  readonly height: number;
}

/** Balances of accounts at those heights, atomic units, in the order of the request. */
export async function balancesAt(db: Db, holdings: readonly PastHolding[]): Promise<bigint[]> {
  const { rows } = await sql<{ amount: string }>`
    select (
      select coalesce(sum(c.change), 0) from balance_changes c
      where c.mosaic = (select id from keys where key = h.mosaic_id and kind = ${sql.lit(KeyKind.id)})
        and c.account = (select id from keys where key = h.address and kind = ${sql.lit(KeyKind.address)})
        and c.height <= h.height) as amount
    from unnest(
      ${holdings.map(({ mosaicId }) => idKey(mosaicId))}::bytea[],
      ${holdings.map(({ address }) => address)}::bytea[],
      ${holdings.map(({ height }) => height)}::int8[]) with ordinality h (mosaic_id, address, height, ordinal)
    order by h.ordinal`.execute(db);
  return rows.map(({ amount }) => BigInt(amount));
}

/** A block that moved a balance. */
export interface BalanceStep {
  readonly height: number;
  /** The timestamp of the block, in ms since the epoch adjustment. */
  readonly timestamp: number;
  /** Atomic units: received minus sent; 0 if the movements of the block cancel each other. */
  readonly change: bigint;
  /** Balance after the block. */
  readonly amount: bigint;
}

/** The requested steps: the newest first, below a height. */
export interface StepRequest {
  readonly first: number;
  /** Steps below this height. */
  readonly before?: number | undefined;
}

/** Steps of a balance from the newest to the oldest: each page sums what is below it over the index. */
export async function readBalanceSteps(
  db: Db,
  { address, mosaicId }: Holding,
  { first, before = Number.MAX_SAFE_INTEGER }: StepRequest,
): Promise<BalanceStep[]> {
  const args = { address, mosaic: idKey(mosaicId), first, before };
  const rows = await steps.read(db, args);
  return rows.map(({ height, timestamp, change, amount }) => ({
    height,
    timestamp: Number(timestamp),
    change: BigInt(change),
    amount,
  }));
}

/** A holding by the key of its mosaic. */
interface StepArguments {
  readonly address: Buffer;
  readonly mosaic: Buffer;
  readonly first: number;
  readonly before: number;
}

const STEP = new RowType({ height: int4, timestamp: int8, change: int8, amount: numeric });

const steps = new Statement<StepArguments, typeof STEP.columns>(STEP, ({ address, mosaic, first, before }) => {
  const ofHolding = sql`mosaic = ${keyNumber({ kind: KeyKind.id, key: mosaic })}
    and account = ${keyNumber({ kind: KeyKind.address, key: address })}`;
  return sql`
    with page as materialized (
      select height, change from balance_changes where ${ofHolding} and height < ${before}::int8
      order by height desc limit ${first}::int8),
    below as (
      select coalesce(sum(change), 0) as amount from balance_changes
      where ${ofHolding} and height < (select min(height) from page))
    select p.height, b.timestamp, p.change,
      (select amount from below) + sum(p.change) over (order by p.height) as amount
    from page p join blocks b on b.height = p.height
    order by p.height desc`;
});

/** All mosaics of the chain, for `with recursive`: one search of the index, which begins with the mosaic, for each. */
const MOSAICS = sql`mosaics (mosaic) as (
  (select mosaic from balance_changes order by mosaic limit 1)
  union all
  select (select c.mosaic from balance_changes c where c.mosaic > m.mosaic order by c.mosaic limit 1)
  from mosaics m where m.mosaic is not null)`;

/** A balance of a mosaic. */
export interface MosaicBalance {
  readonly mosaicId: bigint;
  /** Atomic units, never 0. */
  readonly amount: bigint;
}

/**
 * All balances of an account after the block at `height`, by mosaic id: it searches for each mosaic of the chain.
 */
export async function readBalancesAt(db: Db, address: Buffer, height: number): Promise<MosaicBalance[]> {
  const { rows } = await sql<{ key: Buffer; amount: string }>`
    with recursive account (id) as materialized (select ${keyNumber(accountKey(address))}),
    ${MOSAICS}
    select k.key, b.amount
    from mosaics m
    cross join lateral (
      select sum(c.change) as amount from balance_changes c
      where c.mosaic = m.mosaic and c.account = (select id from account) and c.height <= ${height}::int8) b
    join keys k on k.id = m.mosaic
    where b.amount <> 0
    order by k.key`.execute(db);
  return rows.map(({ key, amount }) => ({ mosaicId: key.readBigUInt64BE(), amount: BigInt(amount) }));
}

/** A past holder of a mosaic. */
export interface PastHolder {
  readonly address: Buffer;
  /** Atomic units, never 0. */
  readonly amount: bigint;
}

/**
 * Accounts that owned some of a mosaic after the block at `height`, in the order in which the chain first names them,
 * after `after`. Accounts with a zero balance are skipped, so a page may read more rows than it returns.
 */
export async function readPastHolders(
  db: Db,
  { mosaicId, height }: { readonly mosaicId: bigint; readonly height: number },
  { first, after }: { readonly first: number; readonly after?: Buffer | undefined },
): Promise<PastHolder[]> {
  const afterwards = after ? sql`and account > ${keyNumber(accountKey(after))}` : sql``;
  const { rows } = await sql<{ address: Buffer; amount: string }>`
    select k.key as address, h.amount
    from (
      select account, sum(change) as amount from balance_changes
      where mosaic = ${keyNumber(mosaicKey(mosaicId))} and height <= ${height}::int8 ${afterwards}
      group by account having sum(change) <> 0
      order by account limit ${first}) h
    join keys k on k.id = h.account
    order by h.account`.execute(db);
  return rows.map(({ address, amount }) => ({ address, amount: BigInt(amount) }));
}

/** More changes of a mosaic's balances are not added up for {@link readTopHolders}. */
export const MAX_ADDED_CHANGES = 200_000;

/**
 * The accounts that owned most of a mosaic after the block at `height`, the richest first; equal amounts in the order in
 * which the chain first names the accounts.
 * @returns undefined if more than {@link MAX_ADDED_CHANGES} changes would have to be read
 */
export async function readTopHolders(
  db: Db,
  { mosaicId, height }: { readonly mosaicId: bigint; readonly height: number },
  first: number,
): Promise<PastHolder[] | undefined> {
  const { rows } = await sql<{ address: Buffer; amount: string; isCut: boolean }>`
    with changes as materialized (
      select account, change from balance_changes
      where mosaic = ${keyNumber(mosaicKey(mosaicId))} and height <= ${height}::int8 limit ${MAX_ADDED_CHANGES + 1})
    select k.key as address, h.amount, (select count(*) from changes) > ${MAX_ADDED_CHANGES} as "isCut"
    from (
      select account, sum(change) as amount from changes
      group by account having sum(change) <> 0 order by amount desc, account limit ${first}) h
    join keys k on k.id = h.account
    order by h.amount desc, h.account`.execute(db);
  return rows[0]?.isCut ? undefined : rows.map(({ address, amount }) => ({ address, amount: BigInt(amount) }));
}

const accountKey = (address: Buffer) => ({ kind: KeyKind.address, key: address });
const mosaicKey = (id: bigint) => ({ kind: KeyKind.id, key: idKey(id) });
