import { type Insertable, sql } from "kysely";
import { type Cosignature, encodeCosignature, splitCosignatures } from "../../catapult/entity/cosignature.js";
import type { BlockTransaction } from "../../catapult/entity/model.js";
import { asAggregate } from "../../catapult/entity/transaction.js";
import type { EmbeddedEntity } from "../../catapult/entity/transaction-entity.js";
import type { PendingGroup } from "../../catapult/structs/transaction.js";
import type { Db } from "../../database/database.js";
import { idKey } from "../../database/lists/collections.js";
import { encodePendingId } from "../../database/mempool/pending-transactions.js";
import type {
  PendingTransactionAddressTable,
  PendingTransactionMosaicTable,
  PendingTransactionTable,
} from "../../database/tables/pending.js";
import { insertAll } from "../chain/step/insert.js";
import { findRecipient, sliceOf } from "../chain/step/rows.js";
import type { PendingRow } from "./lifecycle.js";

interface NewPendingRow extends Pick<PendingRow, "number" | "deadline" | "addresses"> {
  readonly group: PendingGroup;
  readonly hash: Buffer;
  readonly transaction: BlockTransaction;
}

/** Cosignatures that a pending aggregate has got. */
interface NewCosignatures {
  /** Number of the aggregate's id. */
  readonly number: number;
  /** How many it had. */
  readonly from: number;
  readonly cosignatures: readonly Cosignature[];
}

const MAX_AMOUNT = 2n ** 63n - 1n;

interface WaitingRows {
  readonly transactions: Insertable<PendingTransactionTable>[];
  readonly addresses: Insertable<PendingTransactionAddressTable>[];
  readonly mosaics: Insertable<PendingTransactionMosaicTable>[];
}

/** Writes the rows of new pending transactions, without their cosignatures. */
export async function insertPending(trx: Db, added: readonly NewPendingRow[], now: Date): Promise<void> {
  const rows: WaitingRows = { transactions: [], addresses: [], mosaics: [] };
  for (const one of added) addRows(rows, one, now);
  await insertAll(trx, "pending_transactions", rows.transactions);
  await insertAll(trx, "pending_transaction_addresses", rows.addresses);
  await insertAll(trx, "pending_transaction_mosaics", rows.mosaics);
}

/** Writes cosignatures after those that there are. */
export async function insertCosignatures(trx: Db, added: readonly NewCosignatures[]): Promise<void> {
  const rows = added.flatMap(({ number, from, cosignatures }) =>
    cosignatures.map((cosignature, index) => ({
      id: encodePendingId(number),
      position: from + index,
      signer_public_key: cosignature.signerPublicKey,
      cosignature: encodeCosignature(cosignature),
    })),
  );
  await insertAll(trx, "pending_cosignatures", rows);
}

/** Deletes transactions that are no longer pending, by the numbers of their ids, with their embedded ones. */
export async function removePending(trx: Db, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return;
  const ids = numbers.map((number) => encodePendingId(number));
  for (const table of ["transactions", "transaction_addresses", "transaction_mosaics", "cosignatures"]) {
    await sql`
      delete from ${sql.table(`pending_${table}`)} t using unnest(${ids}::bytea[]) gone(id)
      where t.id >= gone.id and t.id <= substring(gone.id from 1 for 9) || decode('ffffff', 'hex')`.execute(trx);
  }
}

function addRows(rows: WaitingRows, one: NewPendingRow, now: Date): void {
  const { group, hash, number, deadline, addresses, transaction } = one;
  const { bytes, entity } = transaction;
  const aggregate = asAggregate(entity);
  const payload = aggregate ? splitCosignatures(bytes).aggregate : bytes;
  addRow(rows, entity, addresses, {
    ...{ id: encodePendingId(number), group, embedded: false, hash, deadline, addresses: [...addresses], payload },
    ...{ position: 0, size: payload.length, embedded_size: aggregate?.payload.length ?? 0, added_at: now },
  });
  for (const { index, entity: inside, relatedAddresses } of transaction.embedded) {
    const id = encodePendingId(number, index + 1);
    addRow(rows, inside, relatedAddresses, { ...OF_EMBEDDED, id, group, ...sliceOf(bytes, inside.bytes) });
  }
}

const OF_EMBEDDED = {
  ...{ embedded: true, hash: null, deadline: null, addresses: null, payload: null },
  ...{ embedded_size: 0, added_at: null },
};

type OfEntity = "type" | "signer_public_key" | "recipient_address";

function addRow(
  rows: WaitingRows,
  entity: EmbeddedEntity,
  addresses: readonly Buffer[],
  row: Omit<Insertable<PendingTransactionTable>, OfEntity>,
): void {
  const { id, group } = row;
  const { type, signerPublicKey } = entity;
  rows.transactions.push({
    ...row,
    type,
    signer_public_key: signerPublicKey,
    recipient_address: findRecipient(entity),
  });
  for (const address of addresses) rows.addresses.push({ group, address, id });
  if (entity.kind !== "transfer") return;
  const amounts = new Map<bigint, bigint>();
  for (const { mosaicId, amount } of entity.mosaics) amounts.set(mosaicId, (amounts.get(mosaicId) ?? 0n) + amount);
  for (const [mosaicId, amount] of amounts) {
    rows.mosaics.push({ group, mosaic_id: idKey(mosaicId), id, amount: amount > MAX_AMOUNT ? MAX_AMOUNT : amount });
  }
}
