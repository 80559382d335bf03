import { type Cosignature, isCosignatureOf, splitCosignatures } from "../../catapult/entity/cosignature.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { TRANSACTION_TYPE } from "../../catapult/entity/entity-layout.js";
import { hex } from "../../catapult/entity/hex.js";
import type { BlockTransaction, NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { isUnknown } from "../../catapult/entity/transaction-entity.js";
import { checkTransaction } from "../../catapult/verify/check-transaction.js";

/** How transactions are decoded that are in no block: by the network's rules as they are at the end of the chain. */
export const IN_NO_BLOCK = { reading: "accepted", height: Number.MAX_SAFE_INTEGER } as const;

/** A transaction that is in no block, after everything was checked that can be without the chain's state. */
export interface PendingTransaction {
  readonly hash: Buffer;
  /** Of a partial one without its cosignatures. */
  readonly transaction: BlockTransaction;
  /** Milliseconds since the network's epoch adjustment. */
  readonly deadline: number;
}

/** A bonded aggregate, apart from the cosignatures that it has by now. */
export interface PartialAggregate extends PendingTransaction {
  readonly cosignatures: readonly Cosignature[];
}

/**
 * Reads a transaction that a node or its broker gave, and believes nothing of it: hash, signatures, and the hash over
 * embedded transactions are checked. It is read as those in blocks are.
 * @throws EntityError naming the field
 */
export function readPendingTransaction(
  bytes: Buffer,
  network: NetworkIdentity,
  claimedHash?: Buffer,
): PendingTransaction {
  const transaction = decodeTransaction(bytes, network, IN_NO_BLOCK);
  const { hash, entity } = transaction;
  if (claimedHash && !claimedHash.equals(hash)) {
    throw new EntityError("hash", `is ${hex(claimedHash)}, but the transaction gives ${hex(hash)}`);
  }
  checkTransaction(transaction, network);
  const deadline = entity.deadline;
  if (deadline > BigInt(Number.MAX_SAFE_INTEGER)) throw new EntityError("transaction.deadline", `is ${deadline}`);
  return { hash, transaction, deadline: Number(deadline) };
}

/**
 * Reads a bonded aggregate that waits for cosignatures, with those that stand in it and beside it; wrong ones are left out.
 * @throws EntityError naming the field
 */
export function readPartialAggregate(
  bytes: Buffer,
  network: NetworkIdentity,
  more: { readonly hash?: Buffer; readonly cosignatures?: readonly Cosignature[] } = {},
): PartialAggregate {
  const { aggregate, cosignatures } = splitCosignatures(bytes);
  const pending = readPendingTransaction(aggregate, network, more.hash);
  const { entity } = pending.transaction;
  if (isUnknown(entity)) throw new EntityError("transaction.version", entity.problem);
  if (entity.type !== TRANSACTION_TYPE.aggregateBonded) {
    throw new EntityError("transaction.type", `0x${entity.type.toString(16)} is no bonded aggregate`);
  }
  const all = [...cosignatures, ...(more.cosignatures ?? [])];
  return { ...pending, cosignatures: all.filter((cosignature) => isCosignatureOf(cosignature, pending.hash)) };
}

/** A complete aggregate, which was checked, as it was while it waited. */
export function asPartialAggregate({ bytes }: BlockTransaction, network: NetworkIdentity): PartialAggregate {
  const { aggregate, cosignatures } = splitCosignatures(bytes);
  const transaction = decodeTransaction(aggregate, network, IN_NO_BLOCK);
  return { hash: transaction.hash, transaction, deadline: Number(transaction.entity.deadline), cosignatures };
}
