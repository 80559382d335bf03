import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";

/** The number of a kind of state in the database: its position in the list of sub-caches. */
export function stateKindNumber(kind: StateKind): number {
  return STATE_KINDS.indexOf(kind);
}

/** The inverse of `stateKindNumber`. @throws RangeError for an unknown number */
export function stateKindOf(number: number): StateKind {
  const kind = STATE_KINDS[number];
  if (kind === undefined) throw new RangeError(`${number} is not a kind of state`);
  return kind;
}

/** The 12 bytes of the id of the `sequence`-th row of state: the number, padded. */
export function stateId(sequence: number): Buffer {
  const id = Buffer.alloc(12);
  id.writeBigUInt64BE(BigInt(sequence), 4);
  return id;
}
