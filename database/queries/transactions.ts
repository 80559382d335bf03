import { type RawBuilder, sql } from "kysely";
import { entityIdOf, entityNumber, MAX_STORED_HEIGHT, numberOf } from "../../catapult/json/entity-id.js";
import type { Db } from "../database.js";
import { addressAndTypeKey, aliasedMosaicKey, Collection, idKey, NO_KEY, typeKey } from "../lists/collections.js";
import { type HeightFilter, idsOfHeights } from "../lists/heights.js";
import { ENTITY_IDS } from "../lists/id-form.js";
import type { CountedList, PageRequest } from "../lists/list.js";
import { type Entry, entriesOf, type Page, type RunRequest, readPage, readRun, type Source } from "../lists/page.js";

/** Filter of transactions; all given conditions must match. `address` is not combined with the other two keys. */
export interface TransactionFilter extends HeightFilter {
  readonly address?: Buffer | undefined;
  readonly signerPublicKey?: Buffer | undefined;
  readonly recipientAddress?: Buffer | undefined;
  readonly types?: readonly number[] | undefined;
  /** Includes those embedded in aggregates; default false. */
  readonly embedded?: boolean | undefined;
  readonly transferMosaicId?: bigint | undefined;
  /** Only transactions that contain this id; by default also those that name the mosaic by an alias. */
  readonly asWritten?: boolean | undefined;
  /** Inclusive bounds of the amount of that mosaic, atomic units. */
  readonly fromTransferAmount?: bigint | undefined;
  readonly toTransferAmount?: bigint | undefined;
}

/** A page of confirmed transactions by their position in the chain. */
export async function searchTransactions(
  db: Db,
  filter: TransactionFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  return readPage(db, transactionSource(filter), request, idsOfHeights(filter));
}

/** Confirmed transactions after an offset, without a total. */
export function readTransactionRun(db: Db, filter: TransactionFilter, request: RunRequest): Promise<readonly Entry[]> {
  return readRun(db, transactionSource(filter), request, idsOfHeights(filter));
}

const table = "transactions";

function transactionSource(filter: TransactionFilter): Source {
  const lists = countedLists(filter);
  const source = { table, idForm: ENTITY_IDS } as const;
  return lists ? { ...source, lists } : { ...source, ids: combinedIds(filter) };
}

/**
 * The disjoint lists whose union matches the filter, if it has one condition (besides heights and `embedded`), or
 * address and types; otherwise undefined. A transaction has one type, so lists of different types are disjoint.
 */
function countedLists(filter: TransactionFilter): CountedList[] | undefined {
  const { address, signerPublicKey, recipientAddress, transferMosaicId } = filter;
  if (filter.fromTransferAmount !== undefined || filter.toTransferAmount !== undefined) return undefined;
  const types = filter.types && [...new Set(filter.types)];
  const given = [address, signerPublicKey, recipientAddress, types, transferMosaicId].filter((v) => v !== undefined);
  const all = filter.embedded === true;
  const and = all ? sql`` : sql`and not embedded`;

  if (given.length === 0) {
    const entries = entriesOf(table, ENTITY_IDS, all ? undefined : sql`not embedded`);
    return [{ ...entries, collection: all ? Collection.transactionsAll : Collection.transactionsTop, key: NO_KEY }];
  }
  if (address && types && given.length === 2) {
    return types.map((type) => ({
      ids: sql`select id from transaction_addresses where address = ${address} and type = ${type} ${and}`,
      collection: all ? Collection.transactionsByAddressAndTypeAll : Collection.transactionsByAddressAndTypeTop,
      key: addressAndTypeKey(address, type),
    }));
  }
  if (given.length > 1) return undefined;
  if (address) {
    const ids = sql`select id from transaction_addresses where address = ${address} ${and}`;
    const collection = all ? Collection.transactionsByAddressAll : Collection.transactionsByAddressTop;
    return [{ ids, collection, key: address }];
  }
  if (signerPublicKey) {
    const ids = sql`select id from transactions where signer_public_key = ${signerPublicKey} ${and}`;
    const collection = all ? Collection.transactionsBySignerAll : Collection.transactionsBySignerTop;
    return [{ ids, collection, key: signerPublicKey }];
  }
  if (recipientAddress) {
    const ids = sql`select id from transactions where recipient_address = ${recipientAddress} ${and}`;
    const collection = all ? Collection.transactionsByRecipientAll : Collection.transactionsByRecipientTop;
    return [{ ids, collection, key: recipientAddress }];
  }
  if (types) {
    return types.map((type) => ({
      ids: sql`select id from transactions where type = ${type} ${and}`,
      collection: all ? Collection.transactionsByTypeAll : Collection.transactionsByTypeTop,
      key: typeKey(type),
    }));
  }
  return mosaicKeys(filter).map((key) => ({
    ids: sql`select id from transaction_mosaics where mosaic_id = ${key} ${and}`,
    collection: all ? Collection.transactionsByMosaicAll : Collection.transactionsByMosaicTop,
    key,
  }));
}

/** The lists of the requested mosaic; a transaction is in at most one of them. */
function mosaicKeys({ transferMosaicId, asWritten }: TransactionFilter): Buffer[] {
  const id = transferMosaicId as bigint;
  return asWritten ? [idKey(id)] : [idKey(id), aliasedMosaicKey(id)];
}

/** Several conditions: the narrowest table is walked, the others are looked up by id. */
function combinedIds(filter: TransactionFilter): RawBuilder<unknown> {
  const { address, signerPublicKey, recipientAddress, types, transferMosaicId } = filter;
  const conditions: RawBuilder<unknown>[] = [];
  if (!filter.embedded) conditions.push(sql`not t.embedded`);
  if (signerPublicKey) conditions.push(sql`t.signer_public_key = ${signerPublicKey}`);
  if (recipientAddress) conditions.push(sql`t.recipient_address = ${recipientAddress}`);
  let from = sql`transactions t`;
  if (address) {
    from = sql`${from} join transaction_addresses a on a.id = t.id`;
    conditions.push(sql`a.address = ${address}`);
    if (!filter.embedded) conditions.push(sql`not a.embedded`);
    if (types) conditions.push(sql`a.type = any(${[...types]}::int4[])`);
  } else if (types) {
    conditions.push(sql`t.type = any(${[...types]}::int4[])`);
  }
  if (transferMosaicId !== undefined) {
    from = sql`${from} join transaction_mosaics m on m.id = t.id`;
    conditions.push(sql`m.mosaic_id = any(${mosaicKeys(filter)}::bytea[])`);
    if (filter.fromTransferAmount !== undefined) conditions.push(sql`m.amount >= ${filter.fromTransferAmount}`);
    if (filter.toTransferAmount !== undefined) conditions.push(sql`m.amount <= ${filter.toTransferAmount}`);
  }
  return sql`select t.id from ${from} where ${sql.join(conditions, sql` and `)}`;
}

/** The REST bodies of an aggregate's embedded transactions, by the aggregate's id as hex digits, in order. */
export async function embeddedDocuments(db: Db, aggregateIds: readonly Buffer[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  if (aggregateIds.length === 0) return found;
  const numbers = aggregateIds.map(numberOf).filter((number) => number !== undefined);
  const { rows } = await sql<{ id: number | bigint; document: string }>`
    select a.id, t.document
    from unnest(${numbers}::int8[]) a(id)
    join transactions t on t.id > a.id and t.id <= a.id | 4095
    order by t.id`.execute(db);
  for (const { id, document } of rows) {
    const aggregate = entityIdOf(BigInt(id)).toString("hex");
    const inside = found.get(aggregate);
    if (inside) inside.push(document);
    else found.set(aggregate, [document]);
  }
  return found;
}

export interface FoundTransaction extends Entry {
  readonly type: number;
}

/** Confirmed top-level or embedded transactions by id (12 bytes). */
export async function findTransactionsByIds(db: Db, ids: readonly Buffer[]): Promise<FoundTransaction[]> {
  if (ids.length === 0) return [];
  const numbers = ids.map(numberOf).filter((number) => number !== undefined);
  const { rows } = await sql<StoredTransaction>`
    select id, document, type from transactions where id = any(${numbers}::int8[]) order by id`.execute(db);
  return rows.map(foundTransaction);
}

/** Confirmed top-level transactions by hash (32 bytes). */
export async function findTransactionsByHashes(db: Db, hashes: readonly Buffer[]): Promise<FoundTransaction[]> {
  const [only, ...others] = hashes;
  if (!only) return [];
  // By far the most frequent case: as a constant text it costs half as much.
  if (others.length === 0) {
    const { rows } = await sql<StoredTransaction>`
      select id, document, type from transactions where hash = ${only}`.execute(db);
    return rows.map(foundTransaction);
  }
  const { rows } = await sql<StoredTransaction>`
    select id, document, type from transactions where hash = any(${[...hashes]}::bytea[]) order by id`.execute(db);
  return rows.map(foundTransaction);
}

type StoredTransaction = Omit<FoundTransaction, "id"> & { readonly id: number | bigint };

function foundTransaction(row: StoredTransaction): FoundTransaction {
  return { ...row, id: entityIdOf(BigInt(row.id)) };
}

/** Leaves of a block's transactions tree (32 bytes each), in order; empty for a block without transactions. */
export async function merkleComponentHashes(db: Db, height: number): Promise<{ hash: Buffer; leaf: Buffer }[]> {
  if (height >= MAX_STORED_HEIGHT) return [];
  const rows = await db
    .selectFrom("transactions")
    .select(["hash", "merkle_component_hash"])
    .where("id", ">=", entityNumber(height))
    .where("id", "<", entityNumber(height + 1))
    .where("embedded", "=", false)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ hash: row.hash as Buffer, leaf: row.merkle_component_hash as Buffer }));
}
