import { type RawBuilder, sql } from "kysely";
import { Collection, type CollectionKey, idKey, NO_KEY, typeKey } from "./collections.js";
import type { Db } from "./database.js";
import { type HeightFilter, idsOfHeights } from "./heights.js";
import { type Entry, type Page, type PageRequest, readPage, type Source } from "./page.js";

export interface TransactionStatementTable {
  /** Height and place among the block's transaction statements: 12 bytes. */
  id: Buffer;
  primary_id: number;
  secondary_id: number;
  /** Leaf of the block's receipts tree. */
  hash: Buffer;
  document: string;
}

export interface ReceiptTable {
  statement_id: Buffer;
  index: number;
  type: number;
  sender_address: Buffer | null;
  recipient_address: Buffer | null;
  target_address: Buffer | null;
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer | null;
  amount: number | null;
  /** Mosaic or namespace that expired: 8 bytes, big-endian. */
  artifact_id: Buffer | null;
}

export interface ResolutionStatementTable {
  id: Buffer;
  /** Address (24 bytes) or mosaic id (8 bytes, big-endian) as transactions wrote it. */
  unresolved: Buffer;
  hash: Buffer;
  document: string;
}

/** Which transaction statements: those with a receipt for which everything given holds. */
export interface TransactionStatementFilter extends HeightFilter {
  readonly receiptTypes?: readonly number[] | undefined;
  readonly senderAddress?: Buffer | undefined;
  readonly recipientAddress?: Buffer | undefined;
  readonly targetAddress?: Buffer | undefined;
  readonly artifactId?: bigint | undefined;
}

/** A page of transaction statements by their place in the chain. */
export async function searchTransactionStatements(
  db: Db,
  filter: TransactionStatementFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  return readPage(db, transactionStatementSource(filter), request, idsOfHeights(filter));
}

function transactionStatementSource(filter: TransactionStatementFilter): Source {
  const table = "transaction_statements";
  const conditions: { sql: RawBuilder<unknown>; counted?: CollectionKey }[] = [];
  const { receiptTypes, senderAddress, recipientAddress, targetAddress, artifactId } = filter;
  if (receiptTypes) {
    const [first, ...more] = receiptTypes;
    conditions.push(
      first !== undefined && more.length === 0
        ? {
            sql: sql`type = ${first}`,
            counted: { collection: Collection.transactionStatementsByType, key: typeKey(first) },
          }
        : { sql: sql`type = any(${[...receiptTypes]}::int4[])` },
    );
  }
  if (senderAddress) {
    const counted = { collection: Collection.transactionStatementsBySender, key: senderAddress };
    conditions.push({ sql: sql`sender_address = ${senderAddress}`, counted });
  }
  if (recipientAddress) {
    const counted = { collection: Collection.transactionStatementsByRecipient, key: recipientAddress };
    conditions.push({ sql: sql`recipient_address = ${recipientAddress}`, counted });
  }
  if (targetAddress) {
    const counted = { collection: Collection.transactionStatementsByTarget, key: targetAddress };
    conditions.push({ sql: sql`target_address = ${targetAddress}`, counted });
  }
  if (artifactId !== undefined) {
    const key = idKey(artifactId);
    const counted = { collection: Collection.transactionStatementsByArtifact, key };
    conditions.push({ sql: sql`artifact_id = ${key}`, counted });
  }
  if (conditions.length === 0) {
    const counted = { collection: Collection.transactionStatements, key: NO_KEY };
    return { table, ids: sql`select id from transaction_statements`, counted };
  }
  const where = sql.join(
    conditions.map((condition) => condition.sql),
    sql` and `,
  );
  const ids = sql`select distinct statement_id as id from receipts where ${where}`;
  return { table, ids, counted: conditions.length === 1 ? conditions[0]?.counted : undefined };
}

/** A page of address resolution statements by their place in the chain. */
export async function searchAddressResolutions(
  db: Db,
  filter: HeightFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  return readPage(
    db,
    {
      table: "address_resolution_statements",
      ids: sql`select id from address_resolution_statements`,
      counted: { collection: Collection.addressResolutions, key: NO_KEY },
    },
    request,
    idsOfHeights(filter),
  );
}

/** A page of mosaic resolution statements by their place in the chain. */
export async function searchMosaicResolutions(
  db: Db,
  filter: HeightFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  return readPage(
    db,
    {
      table: "mosaic_resolution_statements",
      ids: sql`select id from mosaic_resolution_statements`,
      counted: { collection: Collection.mosaicResolutions, key: NO_KEY },
    },
    request,
    idsOfHeights(filter),
  );
}

/** Leaves of a block's receipts tree in their order: transaction statements, address resolutions, mosaic resolutions. */
export async function statementHashes(db: Db, height: number): Promise<Buffer[]> {
  const { from, to } = idsOfHeights({ height });
  const hashes: Buffer[] = [];
  for (const table of [
    "transaction_statements",
    "address_resolution_statements",
    "mosaic_resolution_statements",
  ] as const) {
    const rows = await db
      .selectFrom(table)
      .select("hash")
      .where("id", ">=", from as Buffer)
      .where("id", "<=", to as Buffer)
      .orderBy("id")
      .execute();
    hashes.push(...rows.map((row) => row.hash));
  }
  return hashes;
}
