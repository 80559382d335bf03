import { addressOfPublicKey } from "../entity/address.js";
import { EntityError } from "../entity/entity-error.js";
import { TRANSACTION, VERIFIABLE } from "../entity/entity-layout.js";
import { transactionHash } from "../entity/hashes.js";
import type { NetworkIdentity } from "../entity/model.js";
import { decodeTransaction } from "../entity/transaction.js";

/** What a status message says of a rejected transaction, and to whom. */
export interface RejectedTransaction {
  readonly hash: Buffer;
  /** As written: milliseconds since the network's epoch adjustment, or anything else of 8 bytes. */
  readonly deadline: bigint;
  /** Whom it concerns (24 bytes each); the signer alone where the rest cannot be read. */
  readonly addresses: readonly Buffer[];
}

/** Reads what there is to report of a transaction that fails its checks; undefined for fewer bytes than its header. */
export function readRejectedTransaction(bytes: Buffer, network: NetworkIdentity): RejectedTransaction | undefined {
  if (bytes.length < TRANSACTION.headerSize) return undefined;
  return {
    hash: transactionHash(bytes, network),
    deadline: bytes.readBigUInt64LE(TRANSACTION.deadline),
    addresses: addressesOf(bytes, network),
  };
}

function addressesOf(bytes: Buffer, network: NetworkIdentity): readonly Buffer[] {
  try {
    return decodeTransaction(bytes, network).relatedAddresses;
  } catch (error) {
    if (!(error instanceof EntityError)) throw error;
    const signer = bytes.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved);
    return [addressOfPublicKey(signer, network.identifier)];
  }
}
