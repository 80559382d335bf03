import { type RawBuilder, sql } from "kysely";
import type { Database, Db } from "../../database/database.js";
import {
  Collection,
  decodeList,
  listNumber,
  SKIP_POINTER_STEP,
  TRANSACTION_LISTS,
  TYPE_RANGE,
} from "../../database/lists/collections.js";
import { checkCounts } from "./count-check.js";
import type { Findings } from "./findings.js";

/** Definition of the lists of a collection: the rows of a table by the values of some columns. */
interface ChainSource {
  readonly table: keyof Database;
  /** The column with the id of the entries. */
  readonly id: string;
  /** None, the column of a key or a type, or of a key and a type. */
  readonly key: readonly string[];
  /** If the first column is flagged: whether the lists are those of embedded transactions. */
  readonly embedded?: boolean;
  readonly where?: RawBuilder<boolean>;
  /** Several rows may represent one entry. */
  readonly isRepeated?: boolean;
}

const MAX_OF_A_COLLECTION = 100;

function rows(table: keyof Database, id: string, ...key: string[]): ChainSource {
  return { table, id, key };
}

function receipts(column: string): ChainSource {
  return { table: "receipts", id: "statement_id", key: [column], isRepeated: true };
}

function transactions(embedded: boolean): [Collection, ChainSource][] {
  const lists = embedded ? TRANSACTION_LISTS.embedded : TRANSACTION_LISTS.top;
  return [
    [lists.bySigner, { ...rows("transactions", "id", "signer"), embedded }],
    [lists.byRecipient, { ...rows("transactions", "id", "recipient"), embedded }],
    [lists.byType, { ...rows("transactions", "id", "type"), embedded }],
    [lists.byAddress, { ...rows("transaction_addresses", "id", "account"), embedded }],
    [lists.byAddressAndType, { ...rows("transaction_addresses", "id", "account", "type"), embedded }],
    [lists.byMosaic, { ...rows("transaction_mosaics", "id", "mosaic"), embedded }],
  ];
}

/** Every collection of the chain: defined here a second time, so that a mistake in the first shows. */
const SOURCES: ReadonlyMap<number, ChainSource> = new Map<number, ChainSource>([
  [Collection.blocks, rows("blocks", "height")],
  [Collection.blocksBySigner, rows("blocks", "height", "signer")],
  [Collection.blocksByBeneficiary, rows("blocks", "height", "beneficiary")],
  [Collection.blocksByHarvester, rows("blocks", "height", "harvester")],
  [Collection.transactionsTop, { ...rows("transactions", "id"), where: sql<boolean>`type % 2 = 0` }],
  [Collection.transactionsAll, rows("transactions", "id")],
  ...transactions(false),
  ...transactions(true),
  [Collection.transactionStatements, rows("transaction_statements", "id")],
  [Collection.transactionStatementsByType, receipts("type")],
  [Collection.transactionStatementsByRecipient, receipts("recipient")],
  [Collection.transactionStatementsBySender, receipts("sender")],
  [Collection.transactionStatementsByTarget, receipts("target")],
  [Collection.transactionStatementsByArtifact, receipts("artifact")],
  [Collection.addressResolutions, rows("address_resolution_statements", "id")],
  [Collection.mosaicResolutions, rows("mosaic_resolution_statements", "id")],
]);

/**
 * Counts all lists of the chain, or one, and compares them with the counters and skip pointers. One statement is one
 * snapshot.
 */
export async function checkChainLists(db: Db, findings: Findings, only?: number): Promise<void> {
  for (const [collection, source] of SOURCES) {
    if (only !== undefined && decodeList(only).collection !== collection) continue;
    await checkCounts<{ readonly list: number }>(db, findings, {
      table: "list_counters",
      key: ["list"],
      where: ofCollection(collection, only),
      entries: entries(collection, source, only),
      nameOf: ({ list }) => nameOf(list),
    });
    await checkSkipPointers(db, findings, collection, source, only);
    findings.countChecked("lists", 1);
  }
  if (only !== undefined) return;
  for (const table of ["list_counters", "skip_pointers"] as const) {
    const { rows: lists } = await sql<{ collection: number }>`
      select distinct (list / ${listNumber(1, 0)}::int8)::int4 as collection from ${sql.table(table)}`.execute(db);
    for (const { collection } of lists) {
      if (SOURCES.has(collection)) continue;
      findings.add({ table, key: `list=… (collection ${collection})`, problem: "is not a list" });
    }
  }
}

export async function someChainLists(db: Db, count: number): Promise<number[]> {
  const { rows: lists } = await sql<{ list: number }>`
    select list from list_counters order by random() limit ${count}`.execute(db);
  return lists.map(({ list }) => list);
}

async function checkSkipPointers(db: Db, findings: Findings, collection: number, source: ChainSource, only?: number) {
  type Id = number | bigint | null;
  const { rows: wrong } = await sql<{ list: number; ordinal: number; stored: Id; expected: Id }>`
    select list, ordinal, m.id as stored, e.id as expected
    from (select list, ordinal, id from skip_pointers where ${ofCollection(collection, only)}) m
    full join (
      select list, number as ordinal, id
      from (
        select list, id, row_number() over (partition by list order by id) as number
        from (${entries(collection, source, only)}) l) n
      where number % ${sql.lit(SKIP_POINTER_STEP)} = 0) e using (list, ordinal)
    where m.id is distinct from e.id
    limit ${MAX_OF_A_COLLECTION}`.execute(db);
  for (const { list, ordinal, stored, expected } of wrong) {
    const difference = { table: "skip_pointers", key: `${nameOf(list)} ordinal=${ordinal}` };
    if (stored === null) findings.add({ ...difference, problem: "is missing" });
    else if (expected === null) {
      findings.add({ ...difference, problem: "belongs to an entry that the list does not have" });
    } else findings.add({ ...difference, column: "id", problem: `is ${stored}, not ${expected}` });
  }
}

function ofCollection(collection: number, only: number | undefined): RawBuilder<boolean> {
  if (only !== undefined) return sql`list = ${only}`;
  return sql`list >= ${listNumber(collection, 0)} and list < ${listNumber(collection + 1, 0)}`;
}

/** A query of `list` and `id` of every entry, optionally of one list. */
function entries(collection: number, source: ChainSource, only?: number): RawBuilder<unknown> {
  const { table, id, key, embedded, where, isRepeated } = source;
  const [column, type] = key;
  const conditions = [where ?? sql<boolean>`true`];
  let number: RawBuilder<unknown> = sql`0`;
  if (column !== undefined) {
    const isFlagged = embedded !== undefined;
    number = isFlagged ? sql`${sql.ref(column)} / 2` : sql.ref(column);
    conditions.push(sql`${sql.ref(column)} is not null`);
    if (isFlagged) conditions.push(sql`${sql.ref(column)} % 2 = ${sql.lit(embedded ? 1 : 0)}`);
    if (only !== undefined) conditions.push(...ofKey(source, decodeList(only).key));
  }
  if (type !== undefined) number = sql`(${number})::int8 * ${sql.lit(TYPE_RANGE)} + ${sql.ref(type)}`;
  return sql`select ${isRepeated ? sql`distinct` : sql``} ${listNumber(collection, 0)}::int8 + ${number} as list,
      ${sql.ref(id)} as id
    from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}`;
}

/** The columns' own values, so that an index can be used. */
function ofKey({ key: [column = "", type], embedded }: ChainSource, key: number): RawBuilder<boolean>[] {
  const number = type === undefined ? key : Math.floor(key / TYPE_RANGE);
  const value = embedded === undefined ? number : 2 * number + (embedded ? 1 : 0);
  const conditions = [sql<boolean>`${sql.ref(column)} = ${value}`];
  if (type !== undefined) conditions.push(sql`${sql.ref(type)} = ${key % TYPE_RANGE}`);
  return conditions;
}

function nameOf(list: number): string {
  const { collection, key } = decodeList(list);
  const name = Object.entries(Collection).find(([, number]) => number === collection)?.[0];
  return `list=${list} (${name}${key > 0 ? ` of ${key}` : ""})`;
}
