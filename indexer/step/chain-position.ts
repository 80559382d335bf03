/** A position in the chain. Height 0 with a hash of zeros is the position before the nemesis block. */
export interface ChainPosition {
  readonly height: number;
  readonly hash: Buffer;
}
