import type {
  EmbeddedBody,
  EmbeddedFields,
  TransactionBody,
  TransactionFields,
  TransactionMessageBody,
} from "../../../catapult/body/transaction.js";
import { hex } from "../../../catapult/entity/hex.js";
import type { BlockTransaction, EmbeddedTransaction } from "../../../catapult/entity/model.js";
import { decimalText } from "../../../catapult/json/format.js";
import type { BlockContext } from "../../../catapult/json/transaction.js";
import { entityFields, transactionBody } from "./transaction-body.js";

/**
 * The members of a top-level transaction; for aggregates with their cosignatures, without their embedded
 * transactions.
 */
function transactionFields({ entity, bytes }: BlockTransaction): TransactionFields {
  const fields = {
    size: bytes.length,
    signature: hex(entity.signature),
    ...entityFields(entity),
    maxFee: decimalText(entity.maxFee),
    deadline: decimalText(entity.deadline),
    ...transactionBody(entity),
  };
  // Which content belongs to which type is known to the table of contents only.
  return fields as TransactionFields;
}

function embeddedFields({ entity }: EmbeddedTransaction): EmbeddedFields {
  return { ...entityFields(entity), ...transactionBody(entity) } as EmbeddedFields;
}

function blockFields(block: BlockContext | undefined) {
  return block ? { timestamp: decimalText(block.timestamp), feeMultiplier: block.feeMultiplier } : {};
}

/**
 * The REST document of a top-level transaction (`TransactionInfoDTO`), as in searches: keys in the order id, meta,
 * transaction, and aggregates without `transactions` (see `withEmbedded`). `id` is 24 hex digits. Without a block the
 * transaction is pending: height and index are 0, timestamp and fee multiplier are omitted.
 */
export function renderTransaction(transaction: BlockTransaction, block: BlockContext | undefined, id: string): string {
  const body: TransactionBody = {
    id,
    meta: {
      height: decimalText(block?.height ?? 0),
      hash: hex(transaction.hash),
      merkleComponentHash: hex(transaction.merkleComponentHash),
      index: block ? transaction.index : 0,
      ...blockFields(block),
    },
    transaction: transactionFields(transaction),
  };
  return JSON.stringify(body);
}

/**
 * The REST document of an embedded transaction (`EmbeddedTransactionInfoDTO`), as in searches and lists. `id` is its
 * own, `aggregateId` that of its aggregate (24 hex digits each).
 */
export function renderEmbedded(
  embedded: EmbeddedTransaction,
  aggregate: BlockTransaction,
  block: BlockContext | undefined,
  id: string,
  aggregateId: string,
): string {
  const body: EmbeddedBody = {
    id,
    meta: {
      height: decimalText(block?.height ?? 0),
      aggregateHash: hex(aggregate.hash),
      aggregateId,
      index: embedded.index,
      ...blockFields(block),
    },
    transaction: embeddedFields(embedded),
  };
  return JSON.stringify(body);
}

/**
 * The data of `confirmedAdded`, `unconfirmedAdded` and `partialAdded` messages: `{transaction, meta}`, an aggregate
 * with its embedded transactions inside. Height is 0 for a pending transaction. Source:
 * `client/rest/src/connection/serverMessageHandlers.js`, with the fields named as in REST documents.
 */
export function renderTransactionMessage(transaction: BlockTransaction, height: number): string {
  const fields = transactionFields(transaction);
  const inner = transaction.embedded.map((embedded) => ({ transaction: embeddedFields(embedded) }));
  const message: TransactionMessageBody = {
    transaction: "cosignatures" in fields ? { ...fields, transactions: inner } : fields,
    meta: {
      hash: hex(transaction.hash),
      merkleComponentHash: hex(transaction.merkleComponentHash),
      height: decimalText(height),
    },
  };
  return JSON.stringify(message);
}
