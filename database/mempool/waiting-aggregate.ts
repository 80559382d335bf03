import { sql } from "kysely";
import { VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import type { Db } from "../database.js";

/** What is known of a bonded aggregate that waits for cosignatures. */
export interface WaitingAggregate {
  /** Of its own signer, 32 bytes. */
  readonly signerPublicKey: Buffer;
  readonly cosigners: readonly Buffer[];
  /** Whether the node has reported it. */
  readonly isReported: boolean;
}

/** A partial aggregate, or one that was announced here and not yet reported by the node; undefined if unknown. */
export async function findWaitingAggregate(db: Db, hash: Buffer): Promise<WaitingAggregate | undefined> {
  const { rows } = await sql<{ payload: Buffer; reported: boolean }>`
    select payload, true as reported from partial_transactions where hash = ${hash} and payload is not null
    union all select payload, false from announcements where hash = ${hash} and kind = 'partial'`.execute(db);
  const row = rows.find(({ reported }) => reported) ?? rows[0];
  if (!row) return undefined;
  const cosignatures = await db
    .selectFrom("partial_cosignatures")
    .select("signer_public_key")
    .where("hash", "=", hash)
    .execute();
  return {
    signerPublicKey: row.payload.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved),
    cosigners: cosignatures.map((one) => one.signer_public_key),
    isReported: row.reported,
  };
}

/**
 * The deadline (ms since the network's epoch adjustment) of a partial aggregate, or of one that was announced here
 * and not yet reported by the node; undefined for an unknown one.
 */
export async function findAggregateDeadline(db: Db, hash: Buffer): Promise<number | undefined> {
  const { rows } = await sql<{ deadline: number | null }>`
    select coalesce(
      (select deadline from partial_transactions where hash = ${hash}),
      (select deadline from announcements where hash = ${hash} and kind = 'partial')) as deadline`.execute(db);
  return rows[0]?.deadline ?? undefined;
}
