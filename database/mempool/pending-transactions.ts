import { type RawBuilder, sql } from "kysely";
import { encodeEntityId } from "../../catapult/json/entity-id.js";
import type { PendingGroup } from "../../catapult/structs/transaction.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import type { Columns } from "../binary/rows.js";
import { type Bodies, joinedBlock, rowsWith, selected } from "../bodies/bodies.js";
import { PENDING_BODIES, PENDING_LOOK_UP_BODIES, PENDING_WHOLE_BODIES, topIdOf } from "../bodies/pending-bodies.js";
import type { TransactionEntry } from "../bodies/transaction-bodies.js";
import type { Db } from "../database.js";
import { idKey } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import { type HeightFilter, Lists, noOthers, type Page } from "../lists/page.js";
import { isAmong, type TransactionFilter } from "../queries/transactions.js";
import { type BoundArguments, ListValue, Statement } from "../statement.js";

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
): Promise<Page<TransactionEntry>> {
  const { transferMosaicId, types, ...rest } = filter;
  const mosaic = transferMosaicId === undefined ? undefined : idKey(transferMosaicId);
  return lists.readPage(db, { ...rest, group, types: types && [...new Set(types)], mosaic }, request);
}

interface ListFilter extends Omit<PendingTransactionFilter, "transferMosaicId"> {
  readonly group: PendingGroup;
  /** The key of a mosaic. */
  readonly mosaic?: Buffer | undefined;
}

const lists = new Lists<ListFilter, TransactionEntry>(
  { table: "pending_transactions", bodies: PENDING_BODIES },
  (filter) => ({ ids: pendingIds(filter) }),
);

function pendingIds(filter: BoundArguments<ListFilter>): RawBuilder<unknown> {
  const { group, address, signerPublicKey, recipientAddress, types, mosaic, embedded, ...rest } = filter;
  const { fromTransferAmount, toTransferAmount, ...others } = rest;
  noOthers(others);
  let from = sql`pending_transactions t`;
  const conditions: RawBuilder<unknown>[] = [sql`t."group" = ${group}`];
  if (!embedded) conditions.push(sql`not t.embedded`);
  if (signerPublicKey) conditions.push(sql`t.signer_public_key = ${signerPublicKey}`);
  if (recipientAddress) conditions.push(sql`t.recipient_address = ${recipientAddress}`);
  if (types) conditions.push(isAmong("t.type", types));
  if (address) {
    from = sql`${from} join pending_transaction_addresses a on a.id = t.id`;
    conditions.push(sql`a."group" = ${group} and a.address = ${address}`);
  }
  if (mosaic) {
    from = sql`${from} join pending_transaction_mosaics m on m.id = t.id`;
    conditions.push(sql`m."group" = ${group} and m.mosaic_id = ${mosaic}`);
    if (fromTransferAmount !== undefined) conditions.push(sql`m.amount >= ${fromTransferAmount}`);
    if (toTransferAmount !== undefined) conditions.push(sql`m.amount <= ${toTransferAmount}`);
  }
  return sql`select t.id from ${from} where ${sql.join(conditions, sql` and `)}`;
}

interface Keys {
  readonly group: PendingGroup;
  readonly keys: ListValue;
}

/** Finds pending transactions; the query of `d` ends with the condition. */
function lookUp<Arguments>(
  bodies: Bodies<TransactionEntry>,
  where: (args: BoundArguments<Arguments>) => RawBuilder<unknown>,
): (db: Db, args: Arguments) => Promise<TransactionEntry[]> {
  const found = sql`select ${selected(bodies, sql`d.id`)} from pending_transactions d ${joinedBlock(bodies)}`;
  const statement = new Statement<Arguments, Columns>(
    rowsWith(bodies, {}),
    (args) => sql`${found} where ${where(args)} order by d.id`,
  );
  return async (db, args) => (await statement.read(db, args)).map((row) => bodies.entry(row));
}

const byIds = lookUp<Keys>(
  PENDING_LOOK_UP_BODIES,
  ({ group, keys }) => sql`d."group" = ${group} and d.id = any(${keys}::bytea[])`,
);
const byHashes = lookUp<Keys>(
  PENDING_LOOK_UP_BODIES,
  ({ group, keys }) => sql`d."group" = ${group} and d.hash = any(${keys}::bytea[])`,
);
const whole = lookUp<ListValue>(PENDING_WHOLE_BODIES, (ids) => sql`d.id = any(${ids}::bytea[])`);

/** Pending transactions by id (12 bytes), including embedded ones. */
export async function findPendingTransactionsByIds(
  db: Db,
  group: PendingGroup,
  ids: readonly Buffer[],
): Promise<TransactionEntry[]> {
  return ids.length === 0 ? [] : byIds(db, { group, keys: new ListValue(ids) });
}

/** Pending top-level transactions by hash (32 bytes). */
export async function findPendingTransactionsByHashes(
  db: Db,
  group: PendingGroup,
  hashes: readonly Buffer[],
): Promise<TransactionEntry[]> {
  return hashes.length === 0 ? [] : byHashes(db, { group, keys: new ListValue(hashes) });
}

/** Pending transactions of either group by id, with all their bytes. */
export async function findWholePending(db: Db, ids: readonly Buffer[]): Promise<TransactionEntry[]> {
  return ids.length === 0 ? [] : whole(db, new ListValue(ids));
}

/** The hashes of all pending top-level transactions of a group, by arrival. */
export async function readPendingHashes(db: Db, group: PendingGroup): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from pending_transactions where "group" = ${group} and not embedded order by id`.execute(db);
  return rows.map(({ hash }) => hash);
}

/** The hashes of hash locks that wait for a block: a lock ends with the hash of its aggregate. */
export const PENDING_LOCKS = sql<Buffer>`
  select substring(p.payload from d.position + d.size - 31 for 32) as hash
  from pending_transactions d join pending_transactions p on p.id = ${topIdOf(sql`d.id`)}
  where d."group" = 'unconfirmed' and d.type = ${sql.lit(TRANSACTION_TYPE.hash_lock)}`;

/** The id of a pending transaction: `number` grows by arrival; `embeddedIndex` is 0 for the transaction itself. */
export function encodePendingId(number: number, embeddedIndex = 0): Buffer {
  return encodeEntityId(Math.floor(number / 2 ** 32), number % 2 ** 32, embeddedIndex);
}
