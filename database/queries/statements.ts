import { decodeStatement, statementHashes } from "../../catapult/entity/statement.js";
import { entityNumber, MAX_STORED_HEIGHT } from "../../catapult/json/entity-id.js";
import { recordOf } from "../bodies/bodies.js";
import { STATEMENT_BODIES } from "../bodies/statement-bodies.js";
import type { Db } from "../database.js";
import { Collection, idKey, KeyKind, keyNumber, listOf, listOfKey } from "../lists/collections.js";
import { noOthers } from "../lists/filter.js";
import { type HeightFilter, idsOfHeights } from "../lists/heights.js";
import { ENTITY_IDS } from "../lists/id-form.js";
import type { PageRequest } from "../lists/list.js";
import { readRows } from "../lists/operation-db.js";
import { type Entry, entriesOf, type Page, readPage, type Source } from "../lists/page.js";
import { nextStart, sizeAt } from "../rows.js";
import { type Sql, sql } from "../sql.js";

/** Filter of transaction statements: those with a receipt that matches all given conditions. */
export interface TransactionStatementFilter extends HeightFilter {
  readonly receiptTypes?: readonly number[] | undefined;
  readonly senderAddress?: Buffer | undefined;
  readonly recipientAddress?: Buffer | undefined;
  readonly targetAddress?: Buffer | undefined;
  readonly artifactId?: bigint | undefined;
}

/** A page of transaction statements by their position in the chain. */
export async function searchTransactionStatements(
  db: Db,
  filter: TransactionStatementFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  return readPage(db, transactionStatementSource(filter), request, idsOfHeights(filter));
}

function transactionStatementSource(filter: Omit<TransactionStatementFilter, keyof HeightFilter>): Source {
  const table = "transaction_statements";
  const bodies = STATEMENT_BODIES[table];
  const source = { table, idForm: ENTITY_IDS, bodies } as const;
  const { receiptTypes, senderAddress, recipientAddress, targetAddress, artifactId, ...others } = filter;
  noOthers(others);
  const conditions: { sql: Sql; list?: Sql }[] = [];
  if (receiptTypes) {
    const [type, ...others] = receiptTypes;
    conditions.push(
      type !== undefined && others.length === 0
        ? { sql: sql`type = ${type}`, list: listOf(Collection.transactionStatementsByType, type) }
        : { sql: sql`type = any(${[...receiptTypes]}::int4[])` },
    );
  }
  const keys: [string, Collection, KeyKind, Buffer | undefined][] = [
    ["sender", Collection.transactionStatementsBySender, KeyKind.address, senderAddress],
    ["recipient", Collection.transactionStatementsByRecipient, KeyKind.address, recipientAddress],
    ["target", Collection.transactionStatementsByTarget, KeyKind.address, targetAddress],
    [
      "artifact",
      Collection.transactionStatementsByArtifact,
      KeyKind.id,
      artifactId === undefined ? undefined : idKey(artifactId),
    ],
  ];
  for (const [column, collection, kind, key] of keys) {
    if (!key) continue;
    const named = { kind, key };
    conditions.push({ sql: sql`${sql.ref(column)} = ${keyNumber(named)}`, list: listOfKey(collection, named) });
  }
  if (conditions.length === 0) {
    const list = listOf(Collection.transactionStatements);
    return { ...source, lists: [{ ...entriesOf(table, ENTITY_IDS, bodies), list }] };
  }
  const where = sql.join(
    conditions.map((condition) => condition.sql),
    " and ",
  );
  const ids = sql`select distinct statement_id as id from receipts where ${where}`;
  const list = conditions.length === 1 ? conditions[0]?.list : undefined;
  return list ? { ...source, lists: [{ ids, list }] } : { ...source, ids };
}

/** A page of address resolution statements by their position in the chain. */
export function searchAddressResolutions(db: Db, filter: HeightFilter, request: PageRequest): Promise<Page<Entry>> {
  return searchResolutions(db, "address_resolution_statements", Collection.addressResolutions, filter, request);
}

/** A page of mosaic resolution statements by their position in the chain. */
export function searchMosaicResolutions(db: Db, filter: HeightFilter, request: PageRequest): Promise<Page<Entry>> {
  return searchResolutions(db, "mosaic_resolution_statements", Collection.mosaicResolutions, filter, request);
}

function searchResolutions(
  db: Db,
  table: "address_resolution_statements" | "mosaic_resolution_statements",
  collection: Collection,
  filter: HeightFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  const bodies = STATEMENT_BODIES[table];
  return readPage(
    db,
    {
      table,
      idForm: ENTITY_IDS,
      bodies,
      lists: [{ ...entriesOf(table, ENTITY_IDS, bodies), list: listOf(collection) }],
    },
    request,
    idsOfHeights(filter),
  );
}

/** Leaves of a block's receipts tree in order: transaction statements, address resolutions, mosaic resolutions. */
export async function readStatementHashes(db: Db, height: number): Promise<Buffer[]> {
  if (height > MAX_STORED_HEIGHT) return [];
  const row = await db.selectFrom("raw_blocks").select("statement").where("height", "=", height).executeTakeFirst();
  return row ? statementHashes(decodeStatement(row.statement)) : [];
}

/** The source of a statement: the transaction `primaryId` (from 1) of the block, 0 for the block itself. */
export interface StatementPlace {
  readonly height: number;
  readonly primaryId: number;
}

/** The transaction statements of sources, each with the index of its source in `places`. */
export async function findStatementsOfPlaces(
  db: Db,
  places: readonly StatementPlace[],
): Promise<{ readonly entry: Entry; readonly place: number }[]> {
  if (places.length === 0) return [];
  const bodies = STATEMENT_BODIES.transaction_statements;
  const statement = sql`
    select p.place::int4 as place, d.id, ${recordOf(bodies.record)} as record
    from unnest(
      ${places.map(({ height }) => entityNumber(height))}::int8[],
      ${places.map(({ height }) => entityNumber(height + 1))}::int8[],
      ${places.map(({ primaryId }) => primaryId)}::int4[]) with ordinality p (low, high, primary_id, place)
    join transaction_statements d on d.id >= p.low and d.id < p.high and d.primary_id = p.primary_id
    order by p.place, d.id`;
  const rows = await readRows(db, statement);
  return rows.map((bytes, place) => {
    const id = nextStart(bytes, place);
    const entry = bodies.entry(ENTITY_IDS.read(bytes, id), bytes, nextStart(bytes, id));
    return { entry, place: bytes.readInt32BE(place) - 1 };
  });
}

/** An unresolved alias in a block: an address of 24 bytes, or a namespace id of 8 in place of a mosaic's. */
export interface WrittenAlias {
  readonly height: number;
  readonly unresolved: Buffer;
}

/** The resolutions of aliases, in the same order; undefined if a block resolved none. */
export async function findResolutions(
  db: Db,
  kind: "address" | "mosaic",
  aliases: readonly WrittenAlias[],
): Promise<(Entry | undefined)[]> {
  if (aliases.length === 0) return [];
  const table = `${kind}_resolution_statements` as const;
  const bodies = STATEMENT_BODIES[table];
  const statement = sql`
    select d.id, ${recordOf(bodies.record)} as record
    from unnest(
      ${aliases.map(({ height }) => entityNumber(height))}::int8[],
      ${aliases.map(({ height }) => entityNumber(height + 1))}::int8[],
      ${aliases.map(({ unresolved }) => unresolved)}::bytea[]) with ordinality a (low, high, unresolved, place)
    left join ${sql.table(table)} d on d.unresolved = a.unresolved and d.id >= a.low and d.id < a.high
    order by a.place`;
  const rows = await readRows(db, statement);
  return rows.map((bytes, id) =>
    sizeAt(bytes, id) < 0 ? undefined : bodies.entry(ENTITY_IDS.read(bytes, id), bytes, nextStart(bytes, id)),
  );
}
