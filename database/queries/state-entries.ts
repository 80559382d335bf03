import { type RawBuilder, sql } from "kysely";
import type { StateKey } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { STATE } from "../../catapult/state/state-table.js";
import type { Db } from "../database.js";
import { findOrigin } from "../one-connection.js";

/** The key in the form of the key column: ids are little-endian on the wire and big-endian in the database. */
export function keyInColumn(kind: StateKind, key: Buffer): Buffer {
  return kind === "mosaic" || kind === "namespace" ? Buffer.from(key).reverse() : key;
}

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
  return keys.length === 0 ? [] : (await readValues(db, partsOf(keys))).map(toStateValue);
}

/** The same, and the hash of the head whose state it is, undefined before the first block. */
export async function readStateValuesAtHead(
  db: Db,
  keys: readonly StateKey[],
): Promise<{ readonly head: Buffer | undefined; readonly values: StateValue[] }> {
  const head = sql`select ${sql.lit(HEAD)}::int as kind, hash as value from head`;
  const rows = await readValues(db, [head, ...partsOf(keys)]);
  return {
    head: rows.find(({ kind }) => kind === HEAD)?.value,
    values: rows.filter(({ kind }) => kind !== HEAD).map(toStateValue),
  };
}

/** In place of the number of a kind of state. */
const HEAD = -1;

interface ValueRow {
  readonly kind: number;
  readonly value: Buffer;
}

function partsOf(keys: readonly StateKey[]): RawBuilder<unknown>[] {
  return STATE_KINDS.flatMap((kind) => {
    const ofKind = keys.flatMap((one) => (one.kind === kind ? [one.key] : []));
    return ofKind.length > 0 ? [valuesOf(kind, ofKind)] : [];
  });
}

async function readValues(db: Db, parts: readonly RawBuilder<unknown>[]): Promise<readonly ValueRow[]> {
  return (await sql<ValueRow>`${sql.join(parts, sql` union all `)}`.execute(db)).rows;
}

function toStateValue({ kind, value }: ValueRow): StateValue {
  return { kind: stateKindOf(kind), value };
}

function valuesOf(kind: StateKind, keys: readonly Buffer[]): RawBuilder<unknown> {
  const number = sql.lit(stateKindNumber(kind));
  const inColumn = keys.map((key) => keyInColumn(kind, key));
  if (kind === "namespace") {
    return sql`
      select ${number}::int as kind, value from namespaces where value is not null and level0 in (
        select level0 from namespaces where namespace_id = any(${inColumn}::bytea[]))`;
  }
  const { table, keyColumn } = STATE[kind];
  return sql`
    select ${number}::int as kind, value from ${sql.table(table)}
    where ${sql.ref(keyColumn)} = any(${inColumn}::bytea[]) and value is not null`;
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

/** Databases that have a block, and so the state after it. */
const filled = new WeakSet<Db>();

/** Whether there is a state: before the first block, a missing entry is meaningless. Queries the database until there is. */
export async function isStateThere(db: Db): Promise<boolean> {
  if (filled.has(findOrigin(db))) return true;
  const head = await db.selectFrom("head").select("height").executeTakeFirst();
  if (!head || head.height === 0) return false;
  filled.add(findOrigin(db));
  return true;
}

/** The number of a kind of state in the database: its position in the list of sub-caches. */
export function stateKindNumber(kind: StateKind): number {
  return STATE_KINDS.indexOf(kind);
}

/** The inverse of `stateKindNumber`. @throws RangeError for an unknown number */
export function stateKindOf(number: number): StateKind {
  const kind = STATE_KINDS[number];
  if (kind === undefined) throw new RangeError(`${number} is not a kind of state`);
  return kind;
}

/** The 12 bytes of the id of the `sequence`-th row of state: the number, padded. */
export function stateId(sequence: number): Buffer {
  const id = Buffer.alloc(12);
  id.writeBigUInt64BE(BigInt(sequence), 4);
  return id;
}

/**
 * Rule `hasEnded` of catapult/state/end.ts as a condition in SQL, over a column with the end's height: null for what
 * never ends.
 */
export function hasEndedAt(column: string, height: RawBuilder<unknown> | number): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} <= ${height})`;
}

/** The opposite, also true for what never ends. */
export function isActiveAt(column: string, height: RawBuilder<unknown> | number): RawBuilder<boolean> {
  return sql<boolean>`(${hasEndedAt(column, height)} is not true)`;
}
