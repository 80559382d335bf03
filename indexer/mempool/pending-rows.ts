import { type Insertable, sql } from "kysely";
import type { BlockTransaction } from "../../catapult/entity/model.js";
import type { EmbeddedEntity } from "../../catapult/entity/transaction-entity.js";
import { formatEntityId } from "../../catapult/json/entity-id.js";
import { renderEmbedded, renderTransaction } from "../../catapult/json/transaction.js";
import type { Db } from "../../database/database.js";
import { idKey } from "../../database/lists/collections.js";
import { encodePendingId } from "../../database/mempool/pending-transactions.js";
import type {
  PendingGroup,
  PendingTransactionAddressTable,
  PendingTransactionMosaicTable,
  PendingTransactionTable,
} from "../../database/tables/pending.js";
import { insertAll } from "../chain/step/insert.js";
import { recipientOf } from "../chain/step/rows.js";

/** A new pending transaction. */
export interface NewPendingRow {
  readonly hash: Buffer;
  /** Number of its id. */
  readonly number: number;
  readonly deadline: number;
  /** Addresses whose subscribers get its messages. */
  readonly addresses: readonly Buffer[];
  readonly transaction: BlockTransaction;
  /** For a partial one: the aggregate without cosignatures. */
  readonly payload?: Buffer | undefined;
}

const MAX_AMOUNT = 2n ** 63n - 1n;

interface WaitingRows {
  readonly transactions: Insertable<PendingTransactionTable>[];
  readonly addresses: Insertable<PendingTransactionAddressTable>[];
  readonly mosaics: Insertable<PendingTransactionMosaicTable>[];
}

/** Writes the rows of new pending transactions, with their REST bodies. */
export async function insertPending(
  trx: Db,
  group: PendingGroup,
  added: readonly NewPendingRow[],
  now: Date,
): Promise<void> {
  const rows: WaitingRows = { transactions: [], addresses: [], mosaics: [] };
  for (const one of added) addRows(rows, one, now);
  await insertAll(trx, `${group}_transactions`, rows.transactions);
  await insertAll(trx, `${group}_transaction_addresses`, rows.addresses);
  await insertAll(trx, `${group}_transaction_mosaics`, rows.mosaics);
}

/** Deletes transactions that are no longer pending, by the numbers of their ids, with their embedded ones. */
export async function removePending(trx: Db, group: PendingGroup, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return;
  const ids = numbers.map((number) => encodePendingId(number));
  for (const table of ["transactions", "transaction_addresses", "transaction_mosaics"]) {
    await sql`
      delete from ${sql.table(`${group}_${table}`)} t using unnest(${ids}::bytea[]) gone(id)
      where t.id >= gone.id and t.id <= substring(gone.id from 1 for 9) || decode('ffffff', 'hex')`.execute(trx);
  }
}

/** Renders partial transactions again that got cosignatures. */
export async function updatePartialBodies(
  trx: Db,
  updates: readonly { readonly number: number; readonly transaction: BlockTransaction }[],
): Promise<void> {
  for (const { number, transaction } of updates) {
    const id = encodePendingId(number);
    const document = renderTransaction(transaction, undefined, formatEntityId(id));
    await trx.updateTable("partial_transactions").set({ document }).where("id", "=", id).execute();
  }
}

function addRows(rows: WaitingRows, one: NewPendingRow, now: Date): void {
  const { hash, number, deadline, addresses, transaction, payload = null } = one;
  const id = encodePendingId(number);
  const document = renderTransaction(transaction, undefined, formatEntityId(id));
  const ofAnnounced = { embedded: false, hash, deadline, addresses: [...addresses], payload, added_at: now };
  addRow(rows, transaction.entity, addresses, { ...ofAnnounced, id, document });
  for (const embedded of transaction.embedded) {
    const inside = encodePendingId(number, embedded.index + 1);
    const body = renderEmbedded(embedded, transaction, undefined, formatEntityId(inside), formatEntityId(id));
    addRow(rows, embedded.entity, embedded.relatedAddresses, { ...OF_EMBEDDED, id: inside, document: body });
  }
}

const OF_EMBEDDED = { embedded: true, hash: null, deadline: null, addresses: null, payload: null, added_at: null };

type OfEntity = "type" | "signer_public_key" | "recipient_address";

function addRow(
  rows: WaitingRows,
  entity: EmbeddedEntity,
  addresses: readonly Buffer[],
  row: Omit<Insertable<PendingTransactionTable>, OfEntity>,
): void {
  const { type } = entity;
  const { id, embedded } = row;
  rows.transactions.push({
    ...row,
    ...{ type, signer_public_key: entity.signerPublicKey, recipient_address: recipientOf(entity) },
  });
  for (const address of addresses) rows.addresses.push({ address, id, embedded, type });
  addMosaics(rows, id, entity, embedded);
}

function addMosaics(rows: WaitingRows, id: Buffer, entity: EmbeddedEntity, embedded: boolean): void {
  if (entity.kind !== "transfer") return;
  const amounts = new Map<bigint, bigint>();
  for (const { mosaicId, amount } of entity.mosaics) amounts.set(mosaicId, (amounts.get(mosaicId) ?? 0n) + amount);
  for (const [mosaicId, amount] of amounts) {
    const stored = amount > MAX_AMOUNT ? MAX_AMOUNT : amount;
    rows.mosaics.push({ mosaic_id: idKey(mosaicId), id, embedded, amount: stored });
  }
}
