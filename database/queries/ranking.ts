import { type RawBuilder, sql } from "kysely";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { RECEIPT_TYPE } from "../../catapult/entity/receipt.js";
import { entityNumber } from "../../catapult/json/entity-id.js";
import type { Db } from "../database.js";
import { idKey, KeyKind, keyNumber } from "../lists/collections.js";
import { unmarkedSql } from "../tables/marks.js";
import { readNetworkIdentifier } from "./network.js";

/** What accounts are ranked by. */
export type RankingField = "HARVESTED" | "SENT" | "RECEIVED" | "TRANSACTIONS" | "IMPORTANCE";

/** An account with its rank. */
export interface Ranked {
  /** 24 bytes. */
  readonly address: Buffer;
  /** Blocks, transactions, or changes that were added up; 0 for importances. */
  readonly count: number;
  /** Atomic units; an importance; for transactions their number. */
  readonly value: bigint;
}

/** Heights are inclusive. */
export interface RankingRequest {
  readonly by: RankingField;
  readonly fromHeight: number;
  readonly toHeight: number;
  /** Of what was sent or received. */
  readonly mosaicId: bigint;
  readonly first: number;
}

/** More rows are not added up. */
export const MAX_RANKED_ROWS = 200_000;

/**
 * The accounts with the highest values between two heights, the highest first; equal ones by address.
 * @returns undefined if more than {@link MAX_RANKED_ROWS} rows would have to be read
 */
export async function readRanking(db: Db, request: RankingRequest): Promise<Ranked[] | undefined> {
  const { rows } = await sql<{ key: Buffer; count: number; value: string; isCut: boolean }>`
    with found as materialized (${rowsOf(request)} limit ${MAX_RANKED_ROWS + 1}),
    sums as (select account, count(distinct height) as count, sum(value) as value from found group by account)
    select k.key, s.count::int4 as count, s.value::numeric as value,
      (select count(*) from found) > ${MAX_RANKED_ROWS} as "isCut"
    from sums s join keys k on k.id = s.account
    order by s.value desc, k.key limit ${request.first}`.execute(db);
  if (rows[0]?.isCut) return undefined;
  const network = (await readNetworkIdentifier(db)) ?? 0;
  return rows.map(({ key, count, value }) => ({
    address: request.by === "TRANSACTIONS" ? addressOfPublicKey(key, network) : key,
    count,
    value: BigInt(value),
  }));
}

/** Rows with the number of an account's key, what counts once, and a value. */
function rowsOf({ by, fromHeight, toHeight, mosaicId }: RankingRequest): RawBuilder<unknown> {
  const inSpan = (id: string) =>
    sql`${sql.ref(id)} >= ${entityNumber(fromHeight)}::int8 and ${sql.ref(id)} < ${entityNumber(toHeight + 1)}::int8`;
  if (by === "HARVESTED") {
    return sql`select r.target as account, r.statement_id as height, r.amount as value from receipts r
      where r.type = ${RECEIPT_TYPE.harvestFee} and ${inSpan("r.statement_id")}`;
  }
  if (by === "TRANSACTIONS") {
    return sql`select ${unmarkedSql("t.signer")} as account, t.id as height, 1 as value from transactions t
      where t.type & 1 = 0 and ${inSpan("t.id")}`;
  }
  if (by === "IMPORTANCE") {
    return sql`select k.id as account, 0 as height, a.importance as value from accounts a
      join keys k on k.key = a.address and k.kind = ${sql.lit(KeyKind.address)} where a.importance_height > 0`;
  }
  const sign = by === "SENT" ? sql`-` : sql``;
  return sql`select c.account, c.height, ${sign} c.change as value from balance_changes c
    where c.mosaic = ${keyNumber({ kind: KeyKind.id, key: idKey(mosaicId) })} and ${sign} c.change > 0
      and c.height between ${fromHeight} and ${toHeight}`;
}
