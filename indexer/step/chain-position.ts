/** A place in the chain. Height 0 with a hash of zeros is the place before the nemesis block. */
export interface ChainPosition {
  readonly height: number;
  readonly hash: Buffer;
}
