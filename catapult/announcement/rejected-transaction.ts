import { addressOfPublicKey } from "../entity/address.js";
import { EntityError } from "../entity/entity-error.js";
import { TRANSACTION, VERIFIABLE } from "../entity/entity-layout.js";
import { transactionHash } from "../entity/hashes.js";
import type { NetworkIdentity } from "../entity/model.js";
import { decodeTransaction } from "../entity/transaction.js";

/** The content of a status message about a rejected transaction, and its receivers. */
export interface RejectedTransaction {
  readonly hash: Buffer;
  /** The deadline as in the transaction: milliseconds since the network's epoch adjustment, or any other 8 bytes. */
  readonly deadline: bigint;
  /** Addresses that it concerns (24 bytes each); only the signer's if the rest cannot be decoded. */
  readonly addresses: readonly Buffer[];
}

/** Who gets the status of a rejected transaction: its signer, or all whom it concerns. */
export type RejectionReceivers = "signer" | "all";

/** Reads what can be reported about a transaction that fails its checks; undefined for fewer bytes than its header. */
export function readRejectedTransaction(
  bytes: Buffer,
  network: NetworkIdentity,
  receivers: RejectionReceivers = "all",
): RejectedTransaction | undefined {
  if (bytes.length < TRANSACTION.headerSize) return undefined;
  return {
    hash: transactionHash(bytes, network),
    deadline: bytes.readBigUInt64LE(TRANSACTION.deadline),
    addresses: receivers === "signer" ? [readSigner(bytes, network)] : findAddresses(bytes, network),
  };
}

function findAddresses(bytes: Buffer, network: NetworkIdentity): readonly Buffer[] {
  try {
    return decodeTransaction(bytes, network).relatedAddresses;
  } catch (error) {
    if (!(error instanceof EntityError)) throw error;
    return [readSigner(bytes, network)];
  }
}

function readSigner(bytes: Buffer, network: NetworkIdentity): Buffer {
  return addressOfPublicKey(bytes.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved), network.identifier);
}
