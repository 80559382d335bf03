import { type RawBuilder, sql } from "kysely";
import { hex } from "../../catapult/entity/hex.js";
import { encodeEntityNumber, MAX_STORED_HEIGHT } from "../../catapult/json/entity-id.js";
import type { BalanceMovement, MovementCause } from "../../catapult/state/balance-movements.js";
import type { Db } from "../database.js";
import { idKey, KeyKind, keyNumber } from "../lists/collections.js";
import type { Order } from "../lists/list.js";
import { balancesAt } from "./balance-changes.js";
import { readBlockMovements, readMovements } from "./balance-movements.js";

/** What one cause did to one account's balance of a mosaic. */
export interface AccountMovement {
  /**
   * Names the movement among all of the network: the hash of the transaction, or of the block if it is the cause, and the
   * number of the change among those of all accounts by the same one, from 0. A transaction that a fork moves to another
   * block keeps its keys.
   */
  readonly key: string;
  readonly height: number;
  /** The timestamp of the block, in ms since the epoch adjustment. */
  readonly timestamp: number;
  /** Among the account's movements of the block, from 0. */
  readonly position: number;
  readonly cause: MovementCause;
  /** The hash of the transaction, or of the aggregate with it; undefined if the block itself is the cause. */
  readonly hash: Buffer | undefined;
  /** Position in the aggregate, from 1; 0 for the transaction itself. */
  readonly embeddedIndex: number;
  readonly receiptType: number | undefined;
  readonly mosaicId: bigint;
  /** Atomic units: received minus sent; never 0. */
  readonly change: bigint;
  /** The account (24 bytes) that had the opposite change; undefined if none did. */
  readonly counterparty: Buffer | undefined;
  /** The message of a transfer, as in the transaction; undefined if it has none, and for other causes. */
  readonly message: Buffer | undefined;
}

/** The movements of an account (24 bytes), or those of one mosaic, between two heights (inclusive). */
export interface MovementFilter {
  readonly address: Buffer;
  readonly mosaicId?: bigint | undefined;
  readonly fromHeight?: number | undefined;
  readonly toHeight?: number | undefined;
  /** Only what transfers of others brought. */
  readonly depositsOnly?: boolean | undefined;
}

/** The position of a movement. */
export type MovementPosition = Pick<AccountMovement, "height" | "position">;

/** Blocks read at once, and transactions. */
const BLOCKS = 100;
const TRANSACTIONS = 200;

/** Movements of an account in the order of the chain, or the opposite one, after a position. */
export async function readAccountMovements(
  db: Db,
  filter: MovementFilter,
  {
    first,
    after,
    order,
  }: { readonly first: number; readonly after?: MovementPosition | undefined; readonly order: Order },
): Promise<AccountMovement[]> {
  const way = order === "asc" ? 1 : -1;
  const found: AccountMovement[] = [];
  let [from, to] = [filter.fromHeight ?? 1, Math.min(filter.toHeight ?? MAX_STORED_HEIGHT, MAX_STORED_HEIGHT)];
  if (after && order === "asc") from = Math.max(from, after.height);
  if (after && order === "desc") to = Math.min(to, after.height);
  while (found.length < first && from <= to) {
    const heights = await findHeights(db, filter, {
      from,
      to,
      order,
      count: Math.min(BLOCKS, first - found.length + 1),
    });
    const last = heights.at(-1);
    if (last === undefined) break;
    const read = await readOfBlocks(db, filter.address, heights);
    const ordered = order === "asc" ? read : read.toReversed();
    for (const one of ordered) {
      if (filter.mosaicId !== undefined && one.mosaicId !== filter.mosaicId) continue;
      if (filter.depositsOnly && !isDeposit(one, filter.address)) continue;
      if (after && way * (one.height - after.height || one.position - after.position) <= 0) continue;
      found.push(one);
    }
    if (order === "asc") from = last + 1;
    else to = last - 1;
  }
  return found.slice(0, first);
}

/** The balances after movements of one account, which follow each other without a gap; in their order. */
export async function balancesAfter(db: Db, address: Buffer, movements: readonly AccountMovement[]): Promise<bigint[]> {
  const ascending = movements.toSorted((a, b) => a.height - b.height || a.position - b.position);
  const [first] = ascending;
  if (!first) return [];
  const mosaics = [...new Set(movements.map(({ mosaicId }) => mosaicId))];
  const opening = await balancesAt(
    db,
    mosaics.map((mosaicId) => ({ address, mosaicId, height: first.height - 1 })),
  );
  const balances = new Map(mosaics.map((mosaicId, index) => [mosaicId, opening[index] ?? 0n]));
  for (const one of await readOfBlocks(db, address, [first.height])) {
    const balance = balances.get(one.mosaicId);
    if (one.position < first.position && balance !== undefined) balances.set(one.mosaicId, balance + one.change);
  }
  const after = new Map<AccountMovement, bigint>();
  for (const one of ascending) {
    const balance = (balances.get(one.mosaicId) ?? 0n) + one.change;
    balances.set(one.mosaicId, balance);
    after.set(one, balance);
  }
  return movements.map((one) => after.get(one) ?? 0n);
}

/** Whether another account sent it by a transfer. */
function isDeposit({ cause, change, counterparty }: AccountMovement, address: Buffer): boolean {
  return cause === "transfer" && change > 0n && counterparty?.equals(address) === false;
}

interface HeightRequest {
  readonly from: number;
  readonly to: number;
  readonly order: Order;
  readonly count: number;
}

/** The next blocks that moved a balance of the account. */
async function findHeights(
  db: Db,
  { address, mosaicId, depositsOnly }: MovementFilter,
  { from, to, order, count }: HeightRequest,
): Promise<number[]> {
  const way = sql.raw(order);
  const ofMosaic =
    mosaicId === undefined ? sql`` : sql`and mosaic = ${keyNumber({ kind: KeyKind.id, key: idKey(mosaicId) })}`;
  const isIncoming = depositsOnly ? sql`and (change > 0 or received > 0)` : sql``;
  const { rows } = await sql<{ height: number }>`
    select distinct height from (
      select height from balance_changes
      where account = ${accountNumber(address)} ${ofMosaic} ${isIncoming} and height between ${from}::int8 and ${to}::int8
      order by height ${way} limit ${count}) first
    order by height ${way}`.execute(db);
  return rows.map(({ height }) => height);
}

/** All movements of an account in blocks, in the order of the chain. */
async function readOfBlocks(db: Db, address: Buffer, heights: readonly number[]): Promise<AccountMovement[]> {
  const ascending = heights.toSorted((a, b) => a - b);
  const [transactions, blocks, ofBlocks] = await Promise.all([
    findTransactions(db, address, ascending),
    readBlocks(db, ascending),
    readBlockMovements(db, ascending),
  ]);
  const counts = new Map<number, number>();
  const found = new Map<number, AccountMovement[]>(ascending.map((height) => [height, []]));
  const add = (height: number, hash: Buffer | undefined, movements: readonly BalanceMovement[]) => {
    const block = blocks.get(height);
    const named = hex(hash ?? block?.hash ?? Buffer.alloc(0));
    let number = 0;
    for (const { cause, source, receiptType, changes, message } of movements) {
      for (const [index, { address: changed, mosaicId, change }] of changes.entries()) {
        const key = `${named}-${number++}`;
        if (!changed.equals(address)) continue;
        const position = counts.get(height) ?? 0;
        counts.set(height, position + 1);
        found.get(height)?.push({
          ...{ key, height, timestamp: block?.timestamp ?? 0, position, cause, hash, receiptType, mosaicId, change },
          embeddedIndex: source.secondaryId,
          counterparty: changes[1 - index]?.address,
          message,
        });
      }
    }
  };
  for (let start = 0; start < transactions.length; start += TRANSACTIONS) {
    const some = transactions.slice(start, start + TRANSACTIONS);
    const movements = await readMovements(
      db,
      some.map(({ id }) => encodeEntityNumber(BigInt(id))),
    );
    for (const [index, { height, hash }] of some.entries()) add(height, hash, movements[index] ?? []);
  }
  for (const [index, height] of ascending.entries()) add(height, undefined, ofBlocks[index] ?? []);
  return ascending.flatMap((height) => found.get(height) ?? []);
}

interface FoundTransaction {
  readonly id: number | bigint;
  readonly height: number;
  readonly hash: Buffer;
}

/** Top-level transactions of blocks that concern the account, or whose receipts name it, in the order of the chain. */
async function findTransactions(db: Db, address: Buffer, heights: readonly number[]): Promise<FoundTransaction[]> {
  const account = accountNumber(address);
  const ofReceipts = (role: string) => sql`
    select ((s.id >> 32) << 32) | ((s.primary_id - 1)::int8 << 12)
    from receipts r join transaction_statements s on s.id = r.statement_id
    where r.${sql.ref(role)} = ${account} and s.primary_id > 0
      and r.statement_id >= b.height << 32 and r.statement_id < (b.height + 1) << 32`;
  const { rows } = await sql<FoundTransaction>`
    select t.id, b.height::int4 as height, t.hash
    from unnest(${heights}::int8[]) b (height)
    cross join lateral (
      select a.id from transaction_addresses a
      where a.account = ${account} * 2 and a.id >= b.height << 32 and a.id < (b.height + 1) << 32
      union ${sql.join(["target", "sender", "recipient"].map(ofReceipts), sql` union `)}) a (id)
    join transactions t on t.id = a.id
    order by t.id`.execute(db);
  return rows;
}

async function readBlocks(db: Db, heights: readonly number[]) {
  const rows = await db
    .selectFrom("blocks")
    .select(["height", "timestamp", "hash"])
    .where("height", "in", [...heights])
    .execute();
  return new Map(rows.map(({ height, timestamp, hash }) => [height, { timestamp: Number(timestamp), hash }]));
}

const accountNumber = (address: Buffer): RawBuilder<unknown> => keyNumber({ kind: KeyKind.address, key: address });
