import type { EntryChange } from "./entry-changes.js";

/** A block that cannot be executed on top of the state. */
export class BlockExecutionError extends Error {
  override readonly name = "BlockExecutionError";
}

/** The result of executing a block. */
export interface ExecutedBlock {
  /** The statement in the form of a node's block statement response. */
  readonly statement: Buffer;
  /** Leaves of the receipts tree, 32 bytes each. */
  readonly statementHashes: readonly Buffer[];
  readonly receiptsHash: Buffer;
  /** Roots of the nine sub-caches; the sha3-256 of all of them is the state hash. */
  readonly subCacheMerkleRoots: readonly Buffer[];
  readonly stateHash: Buffer;
  /** Every entry that the block created, replaced or deleted, the accounts first. */
  readonly changes: readonly EntryChange[];
}
