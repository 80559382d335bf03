import type { StateKind } from "../../catapult/state/kind.js";

/** The leaf of an entry in a state tree, as the network has it. */
export interface ProvenLeaf {
  readonly kind: StateKind;
  /** The sha3-256 of its key, hex digits in lower case. */
  readonly position: string;
  /** Undefined if it is unknown: it does not follow from the position. */
  readonly key: Buffer | undefined;
  /** The sha3-256 of its value; undefined if the tree has no such entry. */
  readonly leaf: Buffer | undefined;
  /** The value, if it is known. */
  readonly value?: Buffer | undefined;
}

/** An entry whose value is not proven: the tree has the leaf that votes prove, which is not that of our value. */
export interface UnprovenEntry extends ProvenLeaf {
  /** Height since which it may differ. */
  readonly since: number;
  /** The block that changed it afterwards: then the tree has the leaf of our value again. */
  readonly changedBy: number | undefined;
}
