import { type RawBuilder, sql } from "kysely";
import { hex } from "../../catapult/entity/hex.js";
import type { Database, Db } from "../../database/database.js";
import { Collection, MILESTONE_STEP } from "../../database/lists/collections.js";
import { STATE_TABLES } from "../state/tables.js";
import type { Findings } from "./findings.js";
import { type CheckedList, checkLevels, checkSpans } from "./state-counts.js";

/** The form of a part of a list's key in a row: bytes, or a number that takes two bytes or one in the key. */
type KeyForm = "bytes" | "type" | "small";

/** Definition of a list: the rows of a table by the values of some columns. */
interface ListSource {
  readonly table: keyof Database;
  /** The column with the id of the entries. */
  readonly id: string;
  readonly key: readonly (readonly [column: string, form: KeyForm])[];
  readonly where?: RawBuilder<boolean>;
  /** Several rows may represent one entry. */
  readonly isRepeated?: boolean;
}

const NUMBER_BYTES: Readonly<Record<Exclude<KeyForm, "bytes">, number>> = { type: 2, small: 1 };
const isTop = sql<boolean>`not embedded`;
/** Maximum number of reported differences per list. */
const MOST_OF_A_LIST = 100;
/** Lists from here on have spans instead of milestones. */
const FIRST_OF_STATE = Collection.accounts;

/** Columns of numbers by which rows of state are listed; all others contain bytes. */
const SMALL_COLUMNS = new Set(["registration_type", "alias_type", "metadata_type", "entry_type"]);

function rows(table: keyof Database, ...key: ListSource["key"]): ListSource {
  return { table, id: "id", key };
}

function blocks(...key: ListSource["key"]): ListSource {
  return { table: "blocks", id: "height", key };
}

function transactions(table: keyof Database, ...key: ListSource["key"]): [top: ListSource, all: ListSource] {
  const all = rows(table, ...key);
  const isThere = key.map(([column]) => sql<boolean>`${sql.ref(column)} is not null`);
  const where = isThere.length > 0 ? sql<boolean>`${sql.join(isThere, sql` and `)}` : sql<boolean>`true`;
  return [
    { ...all, where: sql<boolean>`${where} and ${isTop}` },
    { ...all, where },
  ];
}

function receipts(column: string, form: KeyForm = "bytes"): ListSource {
  const where = sql<boolean>`${sql.ref(column)} is not null`;
  return { table: "receipts", id: "statement_id", key: [[column, form]], where, isRepeated: true };
}

const pairs: readonly (readonly [top: Collection, all: Collection, sources: readonly [ListSource, ListSource]])[] = [
  [Collection.transactionsTop, Collection.transactionsAll, transactions("transactions")],
  [
    Collection.transactionsBySignerTop,
    Collection.transactionsBySignerAll,
    transactions("transactions", ["signer_public_key", "bytes"]),
  ],
  [
    Collection.transactionsByRecipientTop,
    Collection.transactionsByRecipientAll,
    transactions("transactions", ["recipient_address", "bytes"]),
  ],
  [Collection.transactionsByTypeTop, Collection.transactionsByTypeAll, transactions("transactions", ["type", "type"])],
  [
    Collection.transactionsByAddressTop,
    Collection.transactionsByAddressAll,
    transactions("transaction_addresses", ["address", "bytes"]),
  ],
  [
    Collection.transactionsByAddressAndTypeTop,
    Collection.transactionsByAddressAndTypeAll,
    transactions("transaction_addresses", ["address", "bytes"], ["type", "type"]),
  ],
  [
    Collection.transactionsByMosaicTop,
    Collection.transactionsByMosaicAll,
    transactions("transaction_mosaics", ["mosaic_id", "bytes"]),
  ],
];

/** Every list, by its number: defined here a second time, so that a mistake in the first shows. */
const LISTS: ReadonlyMap<Collection, ListSource> = new Map<Collection, ListSource>([
  [Collection.blocks, blocks()],
  [Collection.blocksBySigner, blocks(["signer_public_key", "bytes"])],
  [Collection.blocksByBeneficiary, blocks(["beneficiary_address", "bytes"])],
  ...pairs.flatMap(([top, all, sources]): [Collection, ListSource][] => [
    [top, sources[0]],
    [all, sources[1]],
  ]),
  [Collection.transactionStatements, rows("transaction_statements")],
  [Collection.transactionStatementsByType, receipts("type", "type")],
  [Collection.transactionStatementsByRecipient, receipts("recipient_address")],
  [Collection.transactionStatementsBySender, receipts("sender_address")],
  [Collection.transactionStatementsByTarget, receipts("target_address")],
  [Collection.transactionStatementsByArtifact, receipts("artifact_id")],
  [Collection.addressResolutions, rows("address_resolution_statements")],
  [Collection.mosaicResolutions, rows("mosaic_resolution_statements")],
  [Collection.accountsByMosaic, rows("account_balances", ["mosaic_id", "bytes"])],
  ...stateLists(),
]);

function stateLists(): [Collection, ListSource][] {
  return Object.values(STATE_TABLES).flatMap(({ table, all, lists }) => [
    ...(all === undefined ? [] : [[all, rows(table)] as [Collection, ListSource]]),
    ...lists.map(([collection, column]): [Collection, ListSource] => {
      const form = SMALL_COLUMNS.has(column) ? "small" : "bytes";
      return [collection, { ...rows(table, [column, form]), where: sql<boolean>`${sql.ref(column)} is not null` }];
    }),
  ]);
}

/** A list whose key is known. */
export interface OneList {
  readonly collection: number;
  readonly key: Buffer;
}

/**
 * Counts all lists, or one, and compares them with the counters, and the milestones or spans. One statement is one
 * snapshot.
 */
export async function checkLists(db: Db, findings: Findings, only?: OneList): Promise<void> {
  for (const [collection, source] of LISTS) {
    if (only && only.collection !== collection) continue;
    await checkCounters(db, findings, collection, source, only?.key);
    if (collection < FIRST_OF_STATE) await checkMilestones(db, findings, collection, source, only?.key);
    else await checkSpans(db, findings, spansOf(collection, source, only?.key));
    findings.countChecked("lists", 1);
  }
  if (only?.collection === Collection.accountsByMosaic) await checkLevels(db, findings, only.key);
  if (only) return;
  await checkLevels(db, findings);
  for (const table of ["counters", "milestones", "spans"] as const) {
    const { rows: unknown } = await sql<{ collection: number }>`
      select distinct collection from ${sql.table(table)}
      where collection <> all(${[...LISTS.keys()]}::int2[])`.execute(db);
    for (const { collection } of unknown) {
      findings.add({ table, key: `collection=${collection}`, problem: "is not a list" });
    }
  }
}

function spansOf(collection: Collection, source: ListSource, key: Buffer | undefined): CheckedList {
  return { collection, entries: entries(source, key), key, nameOf: (one) => nameOf(collection, one) };
}

/** Random lists from the counters. */
export async function someLists(db: Db, count: number): Promise<OneList[]> {
  const { rows: lists } = await sql<OneList>`
    select collection, key from counters order by random() limit ${count}`.execute(db);
  return lists;
}

async function checkCounters(db: Db, findings: Findings, collection: number, source: ListSource, key?: Buffer) {
  const ofKey = key ? sql`and key = ${key}` : sql``;
  const { rows: wrong } = await sql<{ key: Buffer; stored: number | null; expected: number | null }>`
    select key, c.count as stored, e.count as expected
    from (select key, count from counters where collection = ${collection} ${ofKey}) c
    full join (select key, count(*) as count from (${entries(source, key)}) l group by key) e using (key)
    where c.count is distinct from e.count
    limit ${MOST_OF_A_LIST}`.execute(db);
  for (const row of wrong) {
    const difference = { table: "counters", key: nameOf(collection, row.key) };
    if (row.stored === null)
      findings.add({ ...difference, problem: `is missing: the list has ${row.expected} entries` });
    else if (row.expected === null) findings.add({ ...difference, problem: "belongs to a list without entries" });
    else findings.add({ ...difference, column: "count", problem: `is ${row.stored}, not ${row.expected}` });
  }
}

async function checkMilestones(db: Db, findings: Findings, collection: number, source: ListSource, key?: Buffer) {
  const ofKey = key ? sql`and key = ${key}` : sql``;
  const { rows: wrong } = await sql<{ key: Buffer; ordinal: number; stored: number | null; expected: number | null }>`
    select key, ordinal, m.id as stored, e.id as expected
    from (select key, ordinal, id from milestones where collection = ${collection} ${ofKey}) m
    full join (
      select key, number as ordinal, id
      from (select key, id, row_number() over (partition by key order by id) as number from (${entries(source, key)}) l) n
      where number % ${sql.lit(MILESTONE_STEP)} = 0) e using (key, ordinal)
    where m.id is distinct from e.id
    limit ${MOST_OF_A_LIST}`.execute(db);
  for (const row of wrong) {
    const difference = { table: "milestones", key: `${nameOf(collection, row.key)} ordinal=${row.ordinal}` };
    if (row.stored === null) findings.add({ ...difference, problem: "is missing" });
    else if (row.expected === null)
      findings.add({ ...difference, problem: "belongs to an entry that the list does not have" });
    else findings.add({ ...difference, column: "id", problem: `is ${row.stored}, not ${row.expected}` });
  }
}

/** A query of `key` and `id` of every entry, optionally for one key. */
function entries({ table, id, key: parts, where, isRepeated }: ListSource, key?: Buffer): RawBuilder<unknown> {
  const conditions = [where ?? sql<boolean>`true`, ...(key ? keyConditions(parts, key) : [])];
  const distinct = isRepeated ? sql`distinct` : sql``;
  return sql`select ${distinct} ${keyExpression(parts)} as key, ${sql.ref(id)} as id
    from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}`;
}

function keyExpression(parts: ListSource["key"]): RawBuilder<unknown> {
  if (parts.length === 0) return sql`''::bytea`;
  const expressions = parts.map(([column, form]) => {
    if (form === "bytes") return sql.ref(column);
    return sql`decode(lpad(to_hex(${sql.ref(column)}::int4), ${sql.lit(2 * NUMBER_BYTES[form])}, '0'), 'hex')`;
  });
  return sql.join(expressions, sql` || `);
}

/** The columns' own values, so that an index can be used. */
function keyConditions(parts: ListSource["key"], key: Buffer): RawBuilder<boolean>[] {
  let left = key;
  return [...parts].reverse().map(([column, form]) => {
    const bytes = form === "bytes" ? left : left.subarray(left.length - NUMBER_BYTES[form]);
    left = left.subarray(0, left.length - bytes.length);
    const value = form === "bytes" ? sql`${bytes}` : sql`${bytes.readUIntBE(0, bytes.length)}`;
    return sql<boolean>`${sql.ref(column)} = ${value}`;
  });
}

function nameOf(collection: number, key: Buffer): string {
  const name = Object.entries(Collection).find(([, number]) => number === collection)?.[0];
  return `collection=${collection} (${name})${key.length > 0 ? ` key=${hex(key)}` : ""}`;
}
