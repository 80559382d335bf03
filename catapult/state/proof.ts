import { EntityError } from "../entity/entity-error.js";
import { sha3, sha3OfMany } from "../entity/hashes.js";
import { hex } from "../entity/hex.js";
import { hasEnded } from "./end.js";
import { keyOfState, type StateKey, stateTreeKey } from "./key.js";
import { STATE_KINDS, type StateKind } from "./kind.js";
import { LOCK_STATUS } from "./lock.js";
import { decodeKnownState, decodeState, type StateByKind, stateVersion } from "./state.js";
import { decodeStatePath, type StateTreeNode } from "./tree-path.js";

/** A state value, or that there is none, that a header's state hash does not bear out; `field` names what is wrong. */
export class StateProofError extends Error {
  readonly kind: StateKind;
  readonly key: Buffer;
  readonly field: string;

  constructor({ kind, key }: StateKey, field: string, problem: string, options?: ErrorOptions) {
    super(`${kind} ${hex(key)}: ${field}: ${problem}`, options);
    this.name = "StateProofError";
    this.kind = kind;
    this.key = key;
    this.field = field;
  }
}

/** What a node answered, and what it is held against. */
export interface StateClaim extends StateKey {
  /** The value that the node gave; undefined where it has none. */
  readonly value: Buffer | undefined;
  /** The answer to the state path request for the same key. */
  readonly path: Buffer;
  /** The roots under the state hash, in the order of `kinds`. */
  readonly subCacheMerkleRoots: readonly Buffer[];
  /** Of the header of the block at `height`, after which value and path were read. */
  readonly stateHash: Buffer;
  readonly height: number;
  /** The kinds of state that the network has, in the order of their roots; by default all nine. */
  readonly kinds?: readonly StateKind[];
}

/**
 * What was shown.
 * - `present`: the value is in the tree, byte for byte.
 * - `absent`: there is no such key.
 * - `inactive`: the tree has no such key (any more), though the node gives a value: a lock that was used or expired, a root
 *   namespace that expired. That the value was the last one is not shown by this.
 * - `unknown`: the value is in the tree, but it is of a version or has a layout that this program does not know.
 * - `child`: the key is a namespace below the root in the value; the tree holds roots only, so ask for `rootId`.
 */
export type StateProof =
  | { readonly result: "present" }
  | { readonly result: "absent" }
  | { readonly result: "inactive"; readonly reason: "used" | "expired" }
  | { readonly result: "child"; readonly rootId: bigint }
  | { readonly result: "unknown"; readonly version: number };

const ZERO_HASH = Buffer.alloc(32);

/** Runs what reads bytes of the node, and turns complaints about them into complaints about the claim. */
function reading<T>(claim: StateKey, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EntityError)) throw error;
    throw new StateProofError(claim, error.field, error.message.slice(error.field.length + 2), { cause: error });
  }
}

function rootOf(claim: StateClaim): Buffer {
  const { subCacheMerkleRoots: roots, stateHash, kind, kinds = STATE_KINDS } = claim;
  if (roots.length !== kinds.length)
    throw new StateProofError(claim, "subCacheMerkleRoots", `are ${roots.length} for ${kinds.length} kinds of state`);
  if (!sha3OfMany(roots).equals(stateHash))
    throw new StateProofError(claim, "stateHash", `${hex(stateHash)} is not that of the roots`);
  const root = roots[kinds.indexOf(kind)];
  if (root === undefined) throw new StateProofError(claim, "kind", "is none that the network has");
  return root;
}

function sharedLength(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let index = 0;
  while (index < length && left[index] === right[index]) ++index;
  return index;
}

/** Where the way to a key goes on behind a node: undefined hash where it ends. */
interface Step {
  readonly link: Buffer | undefined;
  /** The key's nibbles behind the link. */
  readonly rest: string;
  /** The node shows that the key is not in the tree, whatever comes behind it. */
  readonly isParted: boolean;
}

function stepBehind(node: StateTreeNode, nibbles: string): Step {
  const shared = sharedLength(node.nibbles, nibbles);
  if (node.kind === "leaf") return { link: undefined, rest: "", isParted: node.nibbles !== nibbles };
  const digit = nibbles[shared];
  // A key ends in leaves only: a branch as deep as a key is nothing that a node would have written.
  if (digit === undefined) return { link: undefined, rest: "", isParted: true };
  const link = node.links[Number.parseInt(digit, 16)];
  const isParted = shared < node.nibbles.length || link === undefined;
  return { link, rest: nibbles.slice(shared + 1), isParted };
}

/**
 * The hash of the value that the tree holds for the key, or undefined when the path shows that it holds none.
 * A node goes on below a branch whose path parts from the key's, as if it did not: such nodes have to be linked, but what
 * they say means nothing.
 */
function provenValueHash(claim: StateClaim, root: Buffer): Buffer | undefined {
  const nodes = reading(claim, () => decodeStatePath(claim.path));
  let expected: Buffer | undefined = root;
  let rest = stateTreeKey(claim.key).toString("hex");
  let isParted = false;
  for (const [index, node] of nodes.entries()) {
    if (expected === undefined) throw new StateProofError(claim, `path[${index}]`, "is behind the end of the way");
    if (!node.hash.equals(expected))
      throw new StateProofError(claim, `path[${index}]`, index === 0 ? "is not the tree's root" : "is not linked");
    const step = stepBehind(node, rest);
    isParted ||= step.isParted;
    if (node.kind === "leaf" && !isParted) {
      if (index < nodes.length - 1) throw new StateProofError(claim, `path[${index + 1}]`, "is behind a leaf");
      return node.valueHash;
    }
    expected = step.link;
    rest = step.rest;
  }
  if (nodes.length === 0 && !root.equals(ZERO_HASH))
    throw new StateProofError(claim, "path", "is empty, but the tree is not");
  if (nodes.length > 0 && !isParted) throw new StateProofError(claim, "path", "ends where the way goes on");
  return undefined;
}

/**
 * Why the tree after block `height` does not hold a value that a node still has: a lock that was used or expired, a root
 * namespace that expired. Undefined when the tree holds it.
 * Source: catapult's `LockInfoHistory::isActive` and `RootNamespaceHistory::isActive`.
 */
export function inactiveReason<K extends StateKind>(kind: K, state: StateByKind[K], height: number) {
  if (kind === "hashLock" || kind === "secretLock") {
    const { status, endHeight } = state as StateByKind["hashLock"];
    if (status === LOCK_STATUS.used) return "used";
    return hasEnded(endHeight, height) ? "expired" : undefined;
  }
  if (kind !== "namespace") return undefined;
  return hasEnded((state as StateByKind["namespace"]).endHeight, height) ? "expired" : undefined;
}

function judgeAbsent(claim: StateClaim, state: StateByKind[StateKind]): StateProof {
  const { kind, key, height } = claim;
  if (kind === "namespace") {
    const root = state as StateByKind["namespace"];
    const id = key.readBigUInt64LE();
    if (id !== root.id && root.entries.some((entry) => entry.id === id)) return { result: "child", rootId: root.id };
  }
  requireKey(claim, state);
  const reason = inactiveReason(kind, state, height);
  if (reason === undefined) throw new StateProofError(claim, "value", "is given, but the tree has no such key");
  return { result: "inactive", reason };
}

function requireKey(claim: StateClaim, state: StateByKind[StateKind]): void {
  const key = keyOfState(claim.kind, state as never);
  if (!key.equals(claim.key)) throw new StateProofError(claim, "value", `is that of ${hex(key)}`);
}

/**
 * Holds what a node answered for a key against the state hash of a header: value (or that there is none) and path have to
 * be of the same moment, after the block of that header.
 * Throws `StateProofError`, naming the field: bytes that cannot be read, a path that does not belong to the state hash or
 * the key, a value that is not in the tree, or none where the tree has one. A value that is in the tree and cannot be read
 * is `unknown`.
 */
export function verifyStateValue(claim: StateClaim): StateProof {
  const { kind, value } = claim;
  const proven = provenValueHash(claim, rootOf(claim));
  if (value === undefined) {
    if (proven) throw new StateProofError(claim, "value", "is missing, but the tree has such a key");
    return { result: "absent" };
  }
  if (!proven)
    return judgeAbsent(
      claim,
      reading(claim, () => decodeState(kind, value)),
    );
  const hash = sha3(value);
  if (!hash.equals(proven))
    throw new StateProofError(claim, "value", `has the hash ${hex(hash)}, but the tree has ${hex(proven)}`);
  const state = decodeKnownState(kind, value);
  if (!state) return { result: "unknown", version: stateVersion(value) };
  requireKey(claim, state);
  return { result: "present" };
}
