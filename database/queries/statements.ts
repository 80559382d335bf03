import { type RawBuilder, sql } from "kysely";
import { decodeStatement, statementHashes } from "../../catapult/entity/statement.js";
import { entityNumber, MAX_STORED_HEIGHT } from "../../catapult/json/entity-id.js";
import { type Columns, int4 } from "../binary/rows.js";
import { joinedBlock, rowsWith, selected } from "../bodies/bodies.js";
import { STATEMENT_BODIES } from "../bodies/statement-bodies.js";
import type { Db } from "../database.js";
import { Collection, idKey, KeyKind, keyNumber, listOf, listOfKey } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import { type Entry, type HeightFilter, idsOfHeights, Lists, noOthers, type Page } from "../lists/page.js";
import { entriesOf, type Selected } from "../lists/page-statement.js";
import { ListValue, type Parameter, type Placed, Statement } from "../statement.js";
import { isOneOf } from "./transactions.js";

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
  const { artifactId, height, fromHeight, toHeight, ...others } = filter;
  const artifact = artifactId === undefined ? undefined : idKey(artifactId);
  return transactionStatements.readPage(db, { ...others, artifact }, request, idsOfHeights(filter));
}

/** The conditions that heights are not. */
interface ListFilter extends Omit<TransactionStatementFilter, "artifactId" | keyof HeightFilter> {
  /** The key of an artifact. */
  readonly artifact?: Buffer | undefined;
}

const TABLE = { table: "transaction_statements", bodies: STATEMENT_BODIES.transaction_statements } as const;

const transactionStatements = new Lists<ListFilter>(TABLE, (filter): Selected => {
  const conditions = conditionsOf(filter);
  if (conditions.length === 0) {
    const list = listOf(Collection.transactionStatements);
    return { lists: [{ ...entriesOf(TABLE), list }] };
  }
  const where = sql.join(
    conditions.map((condition) => condition.sql),
    sql` and `,
  );
  const ids = sql`select distinct statement_id as id from receipts where ${where}`;
  const list = conditions.length === 1 ? conditions[0]?.list : undefined;
  return list ? { lists: [{ ids, list }] } : { ids };
});

/** A condition of receipts, and its list if it is counted. */
interface Condition {
  readonly sql: RawBuilder<unknown>;
  readonly list?: RawBuilder<unknown>;
}

function conditionsOf(filter: Placed<ListFilter>): Condition[] {
  const { receiptTypes, senderAddress, recipientAddress, targetAddress, artifact, ...others } = filter;
  noOthers(others);
  const conditions: Condition[] = [];
  if (receiptTypes) {
    const [type, ...others] = receiptTypes;
    conditions.push(
      type !== undefined && others.length === 0
        ? { sql: sql`type = ${type}`, list: listOf(Collection.transactionStatementsByType, type) }
        : { sql: isOneOf("type", receiptTypes) },
    );
  }
  const keys: [string, Collection, KeyKind, Parameter | undefined][] = [
    ["sender", Collection.transactionStatementsBySender, KeyKind.address, senderAddress],
    ["recipient", Collection.transactionStatementsByRecipient, KeyKind.address, recipientAddress],
    ["target", Collection.transactionStatementsByTarget, KeyKind.address, targetAddress],
    ["artifact", Collection.transactionStatementsByArtifact, KeyKind.id, artifact],
  ];
  for (const [column, collection, kind, key] of keys) {
    if (!key) continue;
    const named = { kind, key };
    conditions.push({ sql: sql`${sql.ref(column)} = ${keyNumber(named)}`, list: listOfKey(collection, named) });
  }
  return conditions;
}

/** A page of address resolution statements by their position in the chain. */
export function searchAddressResolutions(db: Db, filter: HeightFilter, request: PageRequest): Promise<Page<Entry>> {
  return addressResolutions.readPage(db, {}, request, idsOfHeights(filter));
}

/** A page of mosaic resolution statements by their position in the chain. */
export function searchMosaicResolutions(db: Db, filter: HeightFilter, request: PageRequest): Promise<Page<Entry>> {
  return mosaicResolutions.readPage(db, {}, request, idsOfHeights(filter));
}

const addressResolutions = resolutions("address_resolution_statements", Collection.addressResolutions);
const mosaicResolutions = resolutions("mosaic_resolution_statements", Collection.mosaicResolutions);

function resolutions(
  table: "address_resolution_statements" | "mosaic_resolution_statements",
  collection: Collection,
): Lists<object> {
  const of = { table, bodies: STATEMENT_BODIES[table] };
  return new Lists<object>(of, () => ({ lists: [{ ...entriesOf(of), list: listOf(collection) }] }));
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
  const rows = await ofPlaces.read(db, {
    lows: new ListValue(places.map(({ height }) => entityNumber(height))),
    highs: new ListValue(places.map(({ height }) => entityNumber(height + 1))),
    primaryIds: new ListValue(places.map(({ primaryId }) => primaryId)),
  });
  return rows.map((row) => ({ entry: TABLE.bodies.entry(row), place: row.place - 1 }));
}

/** Ranges of ids, and a value for each. */
interface Ranges {
  readonly lows: ListValue;
  readonly highs: ListValue;
}

type PlacedColumns = Columns & { readonly place: typeof int4 };

const ofPlaces = new Statement<Ranges & { readonly primaryIds: ListValue }, PlacedColumns>(
  rowsWith(TABLE.bodies, { place: int4 }),
  ({ lows, highs, primaryIds }) => sql`
    select p.place::int4 as place, ${selected(TABLE.bodies, sql`d.id`)}
    from unnest(${lows}::int8[], ${highs}::int8[], ${primaryIds}::int4[]) with ordinality p (low, high, primary_id, place)
    -- Without offset 0 the planner joins all statements of the chain with all places.
    cross join lateral (
      select * from transaction_statements s
      where s.id >= p.low and s.id < p.high and s.primary_id = p.primary_id offset 0) d
    ${joinedBlock(TABLE.bodies)}
    order by p.place, d.id`,
);

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
  const { bodies, statement } = resolved[`${kind}_resolution_statements`];
  const rows = await statement.read(db, {
    lows: new ListValue(aliases.map(({ height }) => entityNumber(height))),
    highs: new ListValue(aliases.map(({ height }) => entityNumber(height + 1))),
    unresolved: new ListValue(aliases.map(({ unresolved }) => unresolved)),
  });
  const entries = new Map(rows.map((row) => [row.place - 1, bodies.entry(row)]));
  return aliases.map((_alias, place) => entries.get(place));
}

const resolved = {
  address_resolution_statements: resolvedIn("address_resolution_statements"),
  mosaic_resolution_statements: resolvedIn("mosaic_resolution_statements"),
};

function resolvedIn(table: "address_resolution_statements" | "mosaic_resolution_statements") {
  const bodies = STATEMENT_BODIES[table];
  const rows = rowsWith(bodies, { place: int4 });
  type Arguments = Ranges & { readonly unresolved: ListValue };
  const statement = new Statement<Arguments, PlacedColumns>(
    rows,
    ({ lows, highs, unresolved }) => sql`
    select a.place::int4 as place, ${selected(bodies, sql`d.id`)}
    from unnest(${lows}::int8[], ${highs}::int8[], ${unresolved}::bytea[]) with ordinality a (low, high, unresolved, place)
    cross join lateral (
      select * from ${sql.table(table)} s where s.unresolved = a.unresolved and s.id >= a.low and s.id < a.high offset 0) d
    ${joinedBlock(bodies)}`,
  );
  return { bodies, statement };
}
