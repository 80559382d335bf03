import { type RawBuilder, sql } from "kysely";
import { entityIdOf, entityNumber, MAX_STORED_HEIGHT } from "../../catapult/json/entity-id.js";
import type { Db } from "../database.js";
import { Collection, type CollectionKey, idKey, NO_KEY, typeKey } from "../lists/collections.js";
import { type HeightFilter, idsOfHeights } from "../lists/heights.js";
import { ENTITY_IDS } from "../lists/id-form.js";
import type { PageRequest } from "../lists/list.js";
import { type Entry, entriesOf, type Page, readPage, type Source } from "../lists/page.js";

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

function transactionStatementSource(filter: TransactionStatementFilter): Source {
  const table = "transaction_statements";
  const source = { table, idForm: ENTITY_IDS } as const;
  const { receiptTypes, senderAddress, recipientAddress, targetAddress, artifactId } = filter;
  const conditions: { sql: RawBuilder<unknown>; counted?: CollectionKey }[] = [];
  if (receiptTypes) {
    const [type, ...others] = receiptTypes;
    conditions.push(
      type !== undefined && others.length === 0
        ? {
            sql: sql`type = ${type}`,
            counted: { collection: Collection.transactionStatementsByType, key: typeKey(type) },
          }
        : { sql: sql`type = any(${[...receiptTypes]}::int4[])` },
    );
  }
  const keys: [string, Collection, Buffer | undefined][] = [
    ["sender_address", Collection.transactionStatementsBySender, senderAddress],
    ["recipient_address", Collection.transactionStatementsByRecipient, recipientAddress],
    ["target_address", Collection.transactionStatementsByTarget, targetAddress],
    [
      "artifact_id",
      Collection.transactionStatementsByArtifact,
      artifactId === undefined ? undefined : idKey(artifactId),
    ],
  ];
  for (const [column, collection, key] of keys) {
    if (key) conditions.push({ sql: sql`${sql.ref(column)} = ${key}`, counted: { collection, key } });
  }
  if (conditions.length === 0) {
    return {
      ...source,
      lists: [{ ...entriesOf(table, ENTITY_IDS), collection: Collection.transactionStatements, key: NO_KEY }],
    };
  }
  const where = sql.join(
    conditions.map((condition) => condition.sql),
    sql` and `,
  );
  const ids = sql`select distinct statement_id as id from receipts where ${where}`;
  const counted = conditions.length === 1 ? conditions[0]?.counted : undefined;
  return counted ? { ...source, lists: [{ ids, ...counted }] } : { ...source, ids };
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
  return readPage(
    db,
    { table, idForm: ENTITY_IDS, lists: [{ ...entriesOf(table, ENTITY_IDS), collection, key: NO_KEY }] },
    request,
    idsOfHeights(filter),
  );
}

/** Leaves of a block's receipts tree in order: transaction statements, address resolutions, mosaic resolutions. */
export async function statementHashes(db: Db, height: number): Promise<Buffer[]> {
  const hashes: Buffer[] = [];
  if (height >= MAX_STORED_HEIGHT) return hashes;
  for (const table of [
    "transaction_statements",
    "address_resolution_statements",
    "mosaic_resolution_statements",
  ] as const) {
    const rows = await db
      .selectFrom(table)
      .select("hash")
      .where("id", ">=", entityNumber(height))
      .where("id", "<", entityNumber(height + 1))
      .orderBy("id")
      .execute();
    hashes.push(...rows.map((row) => row.hash));
  }
  return hashes;
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
): Promise<(Entry & { readonly place: number })[]> {
  if (places.length === 0) return [];
  const { rows } = await sql<{ place: number; id: number | bigint; document: string }>`
    select p.place::int4 as place, s.id, s.document
    from unnest(
      ${places.map(({ height }) => entityNumber(height))}::int8[],
      ${places.map(({ height }) => entityNumber(height + 1))}::int8[],
      ${places.map(({ primaryId }) => primaryId)}::int4[]) with ordinality p (low, high, primary_id, place)
    join transaction_statements s on s.id >= p.low and s.id < p.high and s.primary_id = p.primary_id
    order by p.place, s.id`.execute(db);
  return rows.map(({ id, document, place }) => ({ id: entityIdOf(BigInt(id)), document, place: place - 1 }));
}

/** An unresolved alias in a block: an address of 24 bytes, or a namespace id of 8 in place of a mosaic's. */
export interface WrittenAlias {
  readonly height: number;
  readonly unresolved: Buffer;
}

/** The REST bodies of the resolutions of aliases, in the same order; undefined if a block resolved none. */
export async function findResolutionDocuments(
  db: Db,
  kind: "address" | "mosaic",
  aliases: readonly WrittenAlias[],
): Promise<(string | undefined)[]> {
  if (aliases.length === 0) return [];
  const { rows } = await sql<{ document: string | null }>`
    select s.document
    from unnest(
      ${aliases.map(({ height }) => entityNumber(height))}::int8[],
      ${aliases.map(({ height }) => entityNumber(height + 1))}::int8[],
      ${aliases.map(({ unresolved }) => unresolved)}::bytea[]) with ordinality a (low, high, unresolved, place)
    left join ${sql.table(`${kind}_resolution_statements`)} s
      on s.unresolved = a.unresolved and s.id >= a.low and s.id < a.high
    order by a.place`.execute(db);
  return rows.map(({ document }) => document ?? undefined);
}
