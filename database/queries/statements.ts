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
import { type BoundArguments, ListValue, type Parameter, Statement } from "../statement.js";
import { isAmong } from "./transactions.js";

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

function conditionsOf(filter: BoundArguments<ListFilter>): Condition[] {
  const { receiptTypes, senderAddress, recipientAddress, targetAddress, artifact, ...others } = filter;
  noOthers(others);
  const conditions: Condition[] = [];
  if (receiptTypes) {
    const [type, ...others] = receiptTypes;
    conditions.push(
      type !== undefined && others.length === 0
        ? { sql: sql`type = ${type}`, list: listOf(Collection.transactionStatementsByType, type) }
        : { sql: isAmong("type", receiptTypes) },
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
export interface StatementSource {
  readonly height: number;
  readonly primaryId: number;
}

/** The transaction statements of sources, each with the index of its source in `sources`. */
export async function findStatementsOfSources(
  db: Db,
  sources: readonly StatementSource[],
): Promise<{ readonly entry: Entry; readonly ordinal: number }[]> {
  if (sources.length === 0) return [];
  const rows = await ofSources.read(db, {
    lows: new ListValue(sources.map(({ height }) => entityNumber(height))),
    highs: new ListValue(sources.map(({ height }) => entityNumber(height + 1))),
    primaryIds: new ListValue(sources.map(({ primaryId }) => primaryId)),
  });
  return rows.map((row) => ({ entry: TABLE.bodies.entry(row), ordinal: row.ordinal - 1 }));
}

/** Ranges of ids, and a primary id for each. */
interface Ranges {
  readonly lows: ListValue;
  readonly highs: ListValue;
  readonly primaryIds: ListValue;
}

type NumberedColumns = Columns & { readonly ordinal: typeof int4 };

const ofSources = new Statement<Ranges, NumberedColumns>(
  rowsWith(TABLE.bodies, { ordinal: int4 }),
  ({ lows, highs, primaryIds }) => sql`
    select p.ordinal::int4 as ordinal, ${selected(TABLE.bodies, sql`d.id`)}
    from unnest(${lows}::int8[], ${highs}::int8[], ${primaryIds}::int4[]) with ordinality p (low, high, primary_id, ordinal)
    -- Without offset 0 the planner joins all statements of the chain with all sources.
    cross join lateral (
      select * from transaction_statements s
      where s.id >= p.low and s.id < p.high and s.primary_id = p.primary_id offset 0) d
    ${joinedBlock(TABLE.bodies)}
    order by p.ordinal, d.id`,
);
