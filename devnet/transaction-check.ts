import { models } from "symbol-sdk/symbol";
import { checkTransaction } from "../catapult/check-transaction.js";
import { EntityError } from "../catapult/entity-error.js";
import { asAggregate } from "../catapult/transaction.js";
import type { DevnetNetwork } from "./network.js";
import type { RefusalName } from "./refusal.js";
import type { DevnetTransaction } from "./transaction.js";

const MAX_AGGREGATE_VERSION = 2;
const MAX_FEE_MULTIPLIER = 0xffff_ffffn;

/** How a node refuses a transaction in which something is wrong with a field of this name. */
const REFUSAL_OF_FIELD: readonly (readonly [RegExp, RefusalName])[] = [
  [/\.network$/, "Failure_Core_Wrong_Network"],
  [/\.(reserved|cosignatures\[\d+\]\.version)$/, "Failure_Core_Nonzero_Internal_Padding"],
  [/\.version$/, "Failure_Core_Invalid_Version"],
  [/\.transactionsHash$/, "Failure_Aggregate_Transactions_Hash_Mismatch"],
  [/\.signature$/, "Failure_Consumer_Batch_Signature_Not_Verifiable"],
];

/** How a node refuses a transaction with this error; undefined where it drops the whole packet in silence. */
export function refusalOfError(error: EntityError): RefusalName | undefined {
  // the only lists that symbol-sdk wants sorted here are those of mosaics, and it does not read others
  if (error.cause instanceof Error && error.cause.message.includes("not sorted"))
    return "Failure_Transfer_Out_Of_Order_Mosaics";
  return REFUSAL_OF_FIELD.find(([pattern]) => pattern.test(error.field))?.[1];
}

/** Checks everything that can be known of a transaction without state. Answers why a node would refuse it. */
export function findRefusal(transaction: DevnetTransaction, network: DevnetNetwork): RefusalName | undefined {
  const { entity, bytes } = transaction;
  if (entity.signerPublicKey.bytes.every((byte) => byte === 0)) return "Failure_Core_Zero_Public_Key";
  if (BigInt(entity.fee.value) > MAX_FEE_MULTIPLIER * BigInt(bytes.length))
    return "Failure_Core_Invalid_Transaction_Fee";
  const refusal = findTransferRefusal(entity, network) ?? findAggregateRefusal(transaction, network);
  if (refusal) return refusal;
  try {
    checkTransaction(transaction, network.identity);
    return undefined;
  } catch (error) {
    const name = error instanceof EntityError ? refusalOfError(error) : undefined;
    if (!name) throw error;
    return name;
  }
}

function findTransferRefusal(
  entity: models.Transaction | models.EmbeddedTransaction,
  network: DevnetNetwork,
): RefusalName | undefined {
  if (!(entity instanceof models.TransferTransactionV1 || entity instanceof models.EmbeddedTransferTransactionV1))
    return undefined;
  return entity.message.length > network.rules.maxMessageSize ? "Failure_Transfer_Message_Too_Large" : undefined;
}

function findAggregateRefusal(
  { entity, embedded }: DevnetTransaction,
  network: DevnetNetwork,
): RefusalName | undefined {
  const aggregate = asAggregate(entity);
  if (!aggregate) return undefined;
  const { rules } = network;
  const signers = [aggregate.signerPublicKey, ...aggregate.cosignatures.map(({ signerPublicKey }) => signerPublicKey)];
  if (aggregate.version > MAX_AGGREGATE_VERSION) return "Failure_Core_Invalid_Version";
  if (embedded.length === 0) return "Failure_Aggregate_No_Transactions";
  if (embedded.length > rules.maxTransactionsPerAggregate) return "Failure_Aggregate_Too_Many_Transactions";
  if (signers.length > rules.maxCosignaturesPerAggregate) return "Failure_Aggregate_Too_Many_Cosignatures";
  if (new Set(signers.map(String)).size < signers.length) return "Failure_Aggregate_Redundant_Cosignatures";
  for (const part of embedded) {
    const refusal = findTransferRefusal(part.entity, network);
    if (refusal) return refusal;
  }
  return undefined;
}
