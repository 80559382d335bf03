/** A block as it comes from a node or out of the database, unchecked. */
export interface SourceBlock {
  readonly bytes: Buffer;
  readonly statement: Buffer;
  /** 32 bytes each, one behind the other; empty where there are none. */
  readonly subCacheMerkleRoots: Buffer;
  /** Of an executed block: what the hit of its generation hash must be below, where the network verifies hits. */
  readonly target?: bigint | undefined;
}

/** Where blocks come from. */
export interface BlockSource {
  /**
   * The blocks `from` to `to` (both included), some at a time, in their order. It reads ahead, but never much: what it
   * holds is bounded whatever the range.
   */
  read(from: number, to: number): AsyncIterable<readonly SourceBlock[]>;
}
