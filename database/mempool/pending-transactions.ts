import { type RawBuilder, sql } from "kysely";
import { STORED_BODIES } from "../bodies/bodies.js";
import type { Db } from "../database.js";
import { idKey } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import { type Entry, type HeightFilter, Lists, noOthers, type Page } from "../lists/page.js";
import { isOneOf, type TransactionFilter } from "../queries/transactions.js";
import type { BoundArguments } from "../statement.js";
import type { PendingGroup } from "../tables/pending.js";

/** Maximum number of pending transactions per group: a node's caches of 20 MB hold fewer. */
export const MAX_PENDING = 200_000;

/** Filter of pending transactions: that of confirmed ones, without what blocks decide. */
export type PendingTransactionFilter = Omit<TransactionFilter, "asWritten" | keyof HeightFilter>;

/** A page of pending transactions, by arrival. They are counted over their index: a node has a few thousand at most. */
export async function searchPendingTransactions(
  db: Db,
  group: PendingGroup,
  filter: PendingTransactionFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  const { transferMosaicId, types, ...rest } = filter;
  const mosaic = transferMosaicId === undefined ? undefined : idKey(transferMosaicId);
  return lists[group].readPage(db, { ...rest, types: types && [...new Set(types)], mosaic }, request);
}

interface ListFilter extends Omit<PendingTransactionFilter, "transferMosaicId"> {
  /** The key of a mosaic. */
  readonly mosaic?: Buffer | undefined;
}

const lists = { unconfirmed: listsOf("unconfirmed"), partial: listsOf("partial") };

function listsOf(group: PendingGroup): Lists<ListFilter> {
  const of = { table: `${group}_transactions` as const, bodies: STORED_BODIES };
  return new Lists<ListFilter>(of, (filter) => ({ ids: pendingIds(group, filter) }));
}

function pendingIds(group: PendingGroup, filter: BoundArguments<ListFilter>): RawBuilder<unknown> {
  const { address, signerPublicKey, recipientAddress, types, mosaic, embedded, ...rest } = filter;
  const { fromTransferAmount, toTransferAmount, ...others } = rest;
  noOthers(others);
  let from = sql`${sql.table(`${group}_transactions`)} t`;
  const conditions: RawBuilder<unknown>[] = [sql`true`];
  if (!embedded) conditions.push(sql`not t.embedded`);
  if (signerPublicKey) conditions.push(sql`t.signer_public_key = ${signerPublicKey}`);
  if (recipientAddress) conditions.push(sql`t.recipient_address = ${recipientAddress}`);
  if (types) conditions.push(isOneOf("t.type", types));
  if (address) {
    from = sql`${from} join ${sql.table(`${group}_transaction_addresses`)} a on a.id = t.id`;
    conditions.push(sql`a.address = ${address}`);
  }
  if (mosaic) {
    from = sql`${from} join ${sql.table(`${group}_transaction_mosaics`)} m on m.id = t.id`;
    conditions.push(sql`m.mosaic_id = ${mosaic}`);
    if (fromTransferAmount !== undefined) conditions.push(sql`m.amount >= ${fromTransferAmount}`);
    if (toTransferAmount !== undefined) conditions.push(sql`m.amount <= ${toTransferAmount}`);
  }
  return sql`select t.id from ${from} where ${sql.join(conditions, sql` and `)}`;
}

export interface FoundPendingTransaction extends Entry {
  readonly type: number;
  /** Null for an embedded one. */
  readonly hash: Buffer | null;
}

/** Pending transactions by id (12 bytes), including embedded ones. */
export async function findPendingTransactionsByIds(
  db: Db,
  group: PendingGroup,
  ids: readonly Buffer[],
): Promise<FoundPendingTransaction[]> {
  return findPending(db, group, "id", ids);
}

/** The hashes of all pending top-level transactions of a group, by arrival. */
export async function readPendingHashes(db: Db, group: PendingGroup): Promise<Buffer[]> {
  const rows = await db
    .selectFrom(`${group}_transactions`)
    .select("hash")
    .where("hash", "is not", null)
    .orderBy("id")
    .execute();
  return rows.map(({ hash }) => hash as Buffer);
}

/** Pending top-level transactions by hash (32 bytes). */
export async function findPendingTransactionsByHashes(
  db: Db,
  group: PendingGroup,
  hashes: readonly Buffer[],
): Promise<FoundPendingTransaction[]> {
  return findPending(db, group, "hash", hashes);
}

async function findPending(
  db: Db,
  group: PendingGroup,
  column: "id" | "hash",
  keys: readonly Buffer[],
): Promise<FoundPendingTransaction[]> {
  if (keys.length === 0) return [];
  return db
    .selectFrom(`${group}_transactions`)
    .select(["id", "type", "hash", "document as body"])
    .where(column, "in", [...keys])
    .orderBy("id")
    .execute();
}

/**
 * The REST bodies of the transactions embedded in pending aggregates, by the aggregate's id as hex digits, in order.
 */
export async function pendingEmbeddedBodies(
  db: Db,
  group: PendingGroup,
  aggregateIds: readonly Buffer[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  if (aggregateIds.length === 0) return found;
  const { rows } = await sql<Entry>`
    select t.id, t.document as body
    from unnest(${[...aggregateIds]}::bytea[]) a(id)
    join ${sql.table(`${group}_transactions`)} t
      on t.id > a.id and t.id <= substring(a.id from 1 for 9) || decode('ffffff', 'hex')
    order by t.id`.execute(db);
  for (const { id, body } of rows) {
    const aggregate = Buffer.concat([id.subarray(0, 9), Buffer.alloc(3)]).toString("hex");
    found.set(aggregate, [...(found.get(aggregate) ?? []), body]);
  }
  return found;
}

const NUMBER_BYTES = 9;
const EMBEDDED_BYTES = 3;

/** The id of a pending transaction: `number` grows by arrival; `embeddedIndex` is 0 for the transaction itself. */
export function encodePendingId(number: number, embeddedIndex = 0): Buffer {
  const id = Buffer.alloc(NUMBER_BYTES + EMBEDDED_BYTES);
  id.writeBigUInt64BE(BigInt(number), 1);
  id.writeUIntBE(embeddedIndex, NUMBER_BYTES, EMBEDDED_BYTES);
  return id;
}

/** Whether an id belongs to an embedded transaction. */
export function isInsideAggregate(id: Buffer): boolean {
  return id.readUIntBE(NUMBER_BYTES, EMBEDDED_BYTES) !== 0;
}

/** The id of an aggregate's n-th embedded transaction, `embeddedIndex` from 1. */
export function pendingIdInside(aggregateId: Buffer, embeddedIndex: number): Buffer {
  const id = Buffer.from(aggregateId);
  id.writeUIntBE(embeddedIndex, NUMBER_BYTES, EMBEDDED_BYTES);
  return id;
}
