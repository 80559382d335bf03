import { checkFields } from "../../catapult/announcement/announcement.js";
import { type Cosignature, isCosignatureOf, splitCosignatures } from "../../catapult/entity/cosignature.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { hex } from "../../catapult/entity/hex.js";
import type { BlockTransaction, NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { isUnknown } from "../../catapult/entity/transaction-entity.js";
import type { TransactionRules } from "../../catapult/network/transaction-rules.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { checkTransaction } from "../../catapult/verify/check-transaction.js";

/** How pending transactions are decoded: by the network's rules at the end of the chain. */
export const IN_NO_BLOCK = { reading: "accepted", height: Number.MAX_SAFE_INTEGER } as const;

/** A pending transaction that has passed all stateless checks. */
export interface PendingTransaction {
  readonly hash: Buffer;
  /** A partial one without its cosignatures. */
  readonly transaction: BlockTransaction;
  /** Milliseconds since the network's epoch adjustment. */
  readonly deadline: number;
}

/** A bonded aggregate, with its current cosignatures separately. */
export interface PartialAggregate extends PendingTransaction {
  readonly cosignatures: readonly Cosignature[];
}

/**
 * Decodes a transaction from a node or its broker without trusting it: hash, signatures, and the hash over embedded
 * transactions are verified, and, given the rules of the network, everything else that nodes verify without state. It is
 * decoded like those in blocks; types that this program does not know are accepted.
 * @throws EntityError or AnnouncementError naming the field
 */
export function readPendingTransaction(
  bytes: Buffer,
  network: NetworkIdentity,
  claimedHash?: Buffer,
  rules?: TransactionRules,
): PendingTransaction {
  const transaction = decodeTransaction(bytes, network, IN_NO_BLOCK);
  const { hash, entity } = transaction;
  if (claimedHash && !claimedHash.equals(hash)) {
    throw new EntityError("hash", `is ${hex(claimedHash)}, but that of the transaction is ${hex(hash)}`);
  }
  const isKnown = !isUnknown(entity) && transaction.embedded.every((embedded) => !isUnknown(embedded.entity));
  if (rules && isKnown) checkFields(transaction, { network, rules });
  checkTransaction(transaction, network);
  const deadline = entity.deadline;
  if (deadline > BigInt(Number.MAX_SAFE_INTEGER)) throw new EntityError("transaction.deadline", `is ${deadline}`);
  return { hash, transaction, deadline: Number(deadline) };
}

/**
 * Decodes a partial aggregate, with its embedded and separate cosignatures; invalid ones are omitted.
 * @throws EntityError or AnnouncementError naming the field
 */
export function readPartialAggregate(
  bytes: Buffer,
  network: NetworkIdentity,
  more: {
    readonly hash?: Buffer;
    readonly cosignatures?: readonly Cosignature[];
    readonly rules?: TransactionRules;
  } = {},
): PartialAggregate {
  const { aggregate, cosignatures } = splitCosignatures(bytes);
  const pending = readPendingTransaction(aggregate, network, more.hash, more.rules);
  const { entity } = pending.transaction;
  if (isUnknown(entity)) throw new EntityError("transaction.version", entity.problem);
  if (entity.type !== TRANSACTION_TYPE.aggregate_bonded) {
    throw new EntityError("transaction.type", `0x${entity.type.toString(16)} is not a bonded aggregate`);
  }
  const all = [...cosignatures, ...(more.cosignatures ?? [])];
  return { ...pending, cosignatures: all.filter((cosignature) => isCosignatureOf(cosignature, pending.hash)) };
}

/** A complete, verified aggregate as it was while partial. */
export function asPartialAggregate({ bytes }: BlockTransaction, network: NetworkIdentity): PartialAggregate {
  const { aggregate, cosignatures } = splitCosignatures(bytes);
  const transaction = decodeTransaction(aggregate, network, IN_NO_BLOCK);
  return { hash: transaction.hash, transaction, deadline: Number(transaction.entity.deadline), cosignatures };
}
