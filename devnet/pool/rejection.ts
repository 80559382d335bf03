import type { FailureName } from "../../catapult/announcement/status-code.js";

/** The fields of a status message about a transaction. */
export interface RejectionSubject {
  /** Hash of the transaction, 32 bytes. */
  readonly hash: Buffer;
  /** Milliseconds since the network's epoch. */
  readonly deadline: bigint;
  /** Addresses (24 bytes) that the transaction concerns, unresolved; only its signer's if the rest cannot be read. */
  readonly relatedAddresses: readonly Buffer[];
}

/** A rejected transaction, as in the node's status messages. */
export interface Rejection extends RejectionSubject {
  readonly name: FailureName;
  readonly code: number;
}
