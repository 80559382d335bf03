import { EntityError } from "../../catapult/entity/entity-error.js";
import { AGGREGATE, TRANSACTION, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import type { BlockTransaction, NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";

const MAX_UINT32 = 0xffff_ffff;

/** A transaction in the pools and blocks of a devnet. */
export interface DevnetTransaction extends BlockTransaction {
  /** Milliseconds since the network's epoch. */
  readonly deadline: bigint;
  /** Largest fee multiplier that its maximum fee allows. */
  readonly maxFeeMultiplier: number;
  /** Itself and its embedded transactions. */
  readonly count: number;
}

/** Decodes one transaction. Throws `EntityError` if the bytes are not exactly one known transaction of the network. */
export function decodeDevnetTransaction(bytes: Buffer, network: NetworkIdentity): DevnetTransaction {
  return toDevnetTransaction(decodeTransaction(bytes, network));
}

/** Adds to a decoded transaction the fields that pools and blocks need. */
export function toDevnetTransaction(transaction: BlockTransaction): DevnetTransaction {
  const { entity, bytes, embedded } = transaction;
  const maxFeeMultiplier = Number(entity.maxFee / BigInt(bytes.length));
  return {
    ...transaction,
    deadline: entity.deadline,
    maxFeeMultiplier: Math.min(maxFeeMultiplier, MAX_UINT32),
    count: 1 + embedded.length,
  };
}

/** The bytes of an aggregate with other cosignatures (104 bytes each) in place of its own. */
export function withCosignatures(aggregate: Buffer, cosignatures: readonly Buffer[]): Buffer {
  const end = AGGREGATE.headerSize + aggregate.readUInt32LE(AGGREGATE.payloadSize);
  const bytes = Buffer.concat([aggregate.subarray(0, end), ...cosignatures]);
  bytes.writeUInt32LE(bytes.length, VERIFIABLE.size);
  return bytes;
}

/**
 * Splits a pushed payload into transactions, each beginning with its size. Throws `EntityError` if the sizes do not
 * add up.
 */
export function splitTransactions(payload: Buffer): Buffer[] {
  const transactions: Buffer[] = [];
  for (let offset = 0; offset < payload.length; ) {
    const size = offset + 4 <= payload.length ? payload.readUInt32LE(offset) : 0;
    if (size < TRANSACTION.headerSize || offset + size > payload.length)
      throw new EntityError(`transactions[${transactions.length}].size`, `is ${size} at offset ${offset}`);
    transactions.push(Buffer.from(payload.subarray(offset, offset + size)));
    offset += size;
  }
  return transactions;
}
