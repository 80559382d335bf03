import { addressOfPublicKey } from "../entity/address.js";
import { TRANSACTION, VERIFIABLE } from "../entity/entity-layout.js";
import { transactionHash } from "../entity/hashes.js";
import type { NetworkIdentity } from "../entity/model.js";

/** The content of a status message about a rejected transaction, and its receivers. */
export interface RejectedTransaction {
  readonly hash: Buffer;
  /** As in the transaction: milliseconds since the network's epoch adjustment, or any other 8 bytes. */
  readonly deadline: bigint;
  /** That of its signer (24 bytes): it costs nothing to name others, and each is a row for each of its messages. */
  readonly addresses: readonly Buffer[];
}

/** Reads what can be reported about a transaction that fails its checks; undefined for fewer bytes than its header. */
export function readRejectedTransaction(bytes: Buffer, network: NetworkIdentity): RejectedTransaction | undefined {
  if (bytes.length < TRANSACTION.headerSize) return undefined;
  const signer = bytes.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved);
  return {
    hash: transactionHash(bytes, network),
    deadline: bytes.readBigUInt64LE(TRANSACTION.deadline),
    addresses: [addressOfPublicKey(signer, network.identifier)],
  };
}
