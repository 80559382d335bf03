import { type RawBuilder, sql } from "kysely";
import type { StateKey } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import type { Db } from "../database.js";
import { stateKindNumber, stateKindOf } from "./state.js";

/** Tables by kind, and the column with the key; ids are big-endian there. */
const PLACES: Readonly<Record<Exclude<StateKind, "namespace">, readonly [table: string, column: string]>> = {
  account: ["accounts", "address"],
  mosaic: ["mosaics", "mosaic_id"],
  multisig: ["multisigs", "address"],
  hashLock: ["hash_locks", "hash"],
  secretLock: ["secret_locks", "composite_hash"],
  accountRestriction: ["account_restrictions", "address"],
  mosaicRestriction: ["mosaic_restrictions", "composite_hash"],
  metadata: ["metadata", "composite_hash"],
};

/** A state value as sent by a node. */
export interface StateValue {
  readonly kind: StateKind;
  readonly value: Buffer;
}

/**
 * The values of entries of the state, as far as they exist, in one statement. The key of a namespace may be that of a
 * child: the value is its root's.
 */
export async function readStateValues(db: Db, keys: readonly StateKey[]): Promise<StateValue[]> {
  const parts = STATE_KINDS.flatMap((kind) => {
    const ofKind = keys.flatMap((one) => (one.kind === kind ? [one.key] : []));
    return ofKind.length > 0 ? [valuesOf(kind, ofKind)] : [];
  });
  if (parts.length === 0) return [];
  const { rows } = await sql<{ kind: number; value: Buffer }>`${sql.join(parts, sql` union all `)}`.execute(db);
  return rows.map(({ kind, value }) => ({ kind: stateKindOf(kind), value }));
}

function valuesOf(kind: StateKind, keys: readonly Buffer[]): RawBuilder<unknown> {
  const number = sql.lit(stateKindNumber(kind));
  if (kind === "namespace") {
    return sql`
      select ${number}::int as kind, value from namespaces where value is not null and level0 in (
        select level0 from namespaces where namespace_id = any(${keys.map(reversed)}::bytea[]))`;
  }
  const [table, column] = PLACES[kind];
  const inColumn = kind === "mosaic" ? keys.map(reversed) : [...keys];
  return sql`
    select ${number}::int as kind, value from ${sql.table(table)}
    where ${sql.ref(column)} = any(${inColumn}::bytea[]) and value is not null`;
}

function reversed(key: Buffer): Buffer {
  return Buffer.from(key).reverse();
}

/** A transaction in the chain. */
export interface ConfirmedTransaction {
  readonly hash: Buffer;
  /** Milliseconds since the network's epoch. */
  readonly deadline: number;
}

/** Which of these transactions are in the chain. */
export async function findConfirmed(db: Db, hashes: readonly Buffer[]): Promise<ConfirmedTransaction[]> {
  if (hashes.length === 0) return [];
  const { rows } = await sql<{ hash: Buffer; deadline: number | null }>`
    select hash, deadline from transactions where hash = any(${[...hashes]}::bytea[])`.execute(db);
  return rows.map(({ hash, deadline }) => ({ hash, deadline: deadline ?? 0 }));
}
