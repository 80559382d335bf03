import { type RawBuilder, sql } from "kysely";
import { TRANSACTION_TYPE } from "../../catapult/entity/entity-layout.js";
import { entityNumber } from "../../catapult/json/entity-id.js";
import type { Db } from "../database.js";
import { idKey, KeyKind, keyNumber, markedTypes, type NamedKey } from "../lists/collections.js";
import { isMarked, unmarkedSql } from "../tables/marks.js";
import type { Activity, ActivityRequest } from "./activity.js";

/** Transactions that count: all given conditions must match. */
export interface ActivityFilter {
  readonly types?: readonly number[] | undefined;
  /** 24 bytes: transactions that concern it. */
  readonly address?: Buffer | undefined;
  /** Transfers of this mosaic, also those that name it by an alias. */
  readonly mosaicId?: bigint | undefined;
}

/** Activity of transactions in a time interval with at least one. Heights and blocks are those of the transactions. */
export interface TransactionActivity extends Activity {
  /** Including embedded ones, like the accounts and the volume. */
  readonly transfers: number;
  /** Accounts that signed. */
  readonly activeAccounts: number;
  /** Atomic units of the mosaic; 0 without one. */
  readonly volume: bigint;
}

/** The sums of more transactions are not computed. */
export const MAX_COUNTED = 200_000;

/**
 * Sums over the transactions of each time interval, in ascending order. Reads every transaction that matches.
 * @returns undefined if there are more than {@link MAX_COUNTED}
 */
export async function readTransactionActivity(
  db: Db,
  filter: ActivityFilter,
  { fromTimestamp, toTimestamp, intervalMs, shiftMs }: ActivityRequest,
): Promise<TransactionActivity[] | undefined> {
  const { rows: edges } = await sql<{ first: number | null; last: number | null }>`
    select (select height from blocks where timestamp >= ${fromTimestamp} order by timestamp limit 1) as first,
      (select height from blocks where timestamp < ${toTimestamp} order by timestamp desc limit 1) as last`.execute(db);
  const { first, last } = edges[0] ?? {};
  if (first == null || last == null || first > last) return [];
  const number = sql`floor((b.timestamp - ${shiftMs}::int8)::numeric / ${intervalMs}::int8)::int8`;
  const isTop = isMarked("t.type", false);
  const { rows } = await sql<Record<Exclude<keyof TransactionActivity, "fees" | "volume">, number> & Sums>`
    with found as materialized (
      select t.id, t.type, t.signer, t.size from transactions t
      where ${conditions(filter, entityNumber(first), entityNumber(last + 1))} limit ${MAX_COUNTED + 1})
    select ${number} * ${intervalMs}::int8 + ${shiftMs}::int8 as timestamp,
      min(b.height) as "firstHeight", max(b.height) as "lastHeight", count(distinct b.height) as blocks,
      count(*) filter (where ${isTop}) as transactions, count(*) as "totalTransactions",
      count(*) filter (where ${unmarkedSql("t.type")} = ${TRANSACTION_TYPE.transfer}) as transfers,
      count(distinct ${unmarkedSql("t.signer")}) as "activeAccounts",
      coalesce(sum(t.size::int8 * b.fee_multiplier) filter (where ${isTop}), 0)::numeric as fees,
      coalesce(sum(${volumeOf(filter)}), 0)::numeric as volume,
      (select count(*) from found) > ${MAX_COUNTED} as "isCut"
    from found t join blocks b on b.height = (t.id >> 32)::int4
    group by 1 order by 1`.execute(db);
  if (rows[0]?.isCut) return undefined;
  return rows.map(({ isCut: _, fees, volume, ...row }) => ({ ...row, fees: BigInt(fees), volume: BigInt(volume) }));
}

interface Sums {
  readonly fees: string;
  readonly volume: string;
  readonly isCut: boolean;
}

type Sql = RawBuilder<unknown>;

function conditions({ types, address, mosaicId }: ActivityFilter, low: bigint, high: bigint): Sql {
  const inSpan = (column: string) => sql`${sql.ref(column)} >= ${low}::int8 and ${sql.ref(column)} < ${high}::int8`;
  const all = [inSpan("t.id")];
  if (types) all.push(sql`t.type in (${sql.join(markedTypes(types))})`);
  if (address) {
    const account = anyMark(keyNumber({ kind: KeyKind.address, key: address }));
    all.push(
      sql`t.id in (select a.id from transaction_addresses a where a.account = any (${account}) and ${inSpan("a.id")})`,
    );
  }
  if (mosaicId !== undefined) {
    all.push(sql`t.id in (select m.id from transaction_mosaics m where ${isMosaic(mosaicId)} and ${inSpan("m.id")})`);
  }
  return sql.join(all, sql` and `);
}

function volumeOf({ mosaicId }: ActivityFilter): Sql {
  if (mosaicId === undefined) return sql`0`;
  return sql`(select sum(m.amount) from transaction_mosaics m where m.id = t.id and ${isMosaic(mosaicId)})`;
}

/** A mosaic has one of two keys in a transfer: see `KeyKind`. */
function isMosaic(mosaicId: bigint): Sql {
  const keys: NamedKey[] = [KeyKind.id, KeyKind.aliasedMosaic].map((kind) => ({ kind, key: idKey(mosaicId) }));
  return sql`m.mosaic = any (${sql.join(
    keys.map((key) => anyMark(keyNumber(key))),
    sql` || `,
  )})`;
}

/** A key's number with either mark; nothing for an unknown key. */
function anyMark(number: Sql): Sql {
  return sql`array[${number} * 2, ${number} * 2 + 1]`;
}
