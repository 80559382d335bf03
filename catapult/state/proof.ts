import { EntityError } from "../entity/entity-error.js";
import { sha3, sha3OfMany } from "../entity/hashes.js";
import { hex } from "../entity/hex.js";
import { hasEnded } from "./end.js";
import { keyOfState, type StateKey, stateTreeKey } from "./key.js";
import { STATE_KINDS, type StateKind } from "./kind.js";
import { LOCK_STATUS } from "./lock.js";
import { decodeKnownState, decodeState, type StateByKind, stateVersion } from "./state.js";
import { decodeStatePath, type StateTreeNode, sharedLength } from "./tree-path.js";

/** A state value, or its absence, that is not proven by a header's state hash; `field` names the invalid part. */
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

/** A node's answers, and the state hash to verify them against. */
export interface StateClaim extends StateKey {
  /** The value that the node returned; undefined if it has none. */
  readonly value: Buffer | undefined;
  /** The response to the state path request for the same key. */
  readonly path: Buffer;
  /** The roots under the state hash, in the order of `kinds`. */
  readonly subCacheMerkleRoots: readonly Buffer[];
  /** From the header of the block at `height`, after which value and path were read. */
  readonly stateHash: Buffer;
  readonly height: number;
  /** The kinds of state of the network, in the order of their roots; by default all nine. */
  readonly kinds?: readonly StateKind[];
}

/**
 * The result of a verification.
 * - `present`: the value is in the tree, byte for byte.
 * - `absent`: there is no such key.
 * - `inactive`: the tree does not have such a key (any more), though the node returned a value: a lock that was used
 * or expired, a root
 *   namespace that expired. This does not prove that the value was the last one.
 * - `unknown`: the value is in the tree, but its version or layout is unknown.
 * - `child`: the key is a child of the root namespace in the value; the tree contains roots only, so request
 * `rootId`.
 */
export type StateProof =
  | { readonly result: "present" }
  | { readonly result: "absent" }
  | { readonly result: "inactive"; readonly reason: "used" | "expired" }
  | { readonly result: "child"; readonly rootId: bigint }
  | { readonly result: "unknown"; readonly version: number };

const ZERO_HASH = Buffer.alloc(32);

/** Decodes bytes of the node, and converts decoding errors into errors about the claim. */
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
    throw new StateProofError(claim, "stateHash", `${hex(stateHash)} does not match the roots`);
  const root = roots[kinds.indexOf(kind)];
  if (root === undefined) throw new StateProofError(claim, "kind", "is not a kind that the network has");
  return root;
}

/** The next step of a path after a node: an undefined hash at its end. */
interface Step {
  readonly link: Buffer | undefined;
  /** The key's nibbles after the link. */
  readonly rest: string;
  /** The node proves that the key is not in the tree, whatever follows. */
  readonly isParted: boolean;
}

function stepAfter(node: StateTreeNode, nibbles: string): Step {
  const shared = sharedLength(node.nibbles, nibbles);
  if (node.kind === "leaf") return { link: undefined, rest: "", isParted: node.nibbles !== nibbles };
  const digit = nibbles[shared];
  // A key ends in a leaf only: a branch as deep as a key cannot come from a node.
  if (digit === undefined) return { link: undefined, rest: "", isParted: true };
  const link = node.links[Number.parseInt(digit, 16)];
  const isParted = shared < node.nibbles.length || link === undefined;
  return { link, rest: nibbles.slice(shared + 1), isParted };
}

/**
 * The hash of the value that the tree has for the key, or undefined if the path proves that it has none. A node
 * continues below a branch whose path differs from the key's, as if it did not: such tree nodes have to be linked,
 * but their content is irrelevant.
 */
function provenValueHash(claim: StateClaim, root: Buffer): Buffer | undefined {
  const nodes = reading(claim, () => decodeStatePath(claim.path));
  let expected: Buffer | undefined = root;
  let rest = stateTreeKey(claim.key).toString("hex");
  let isParted = false;
  for (const [index, node] of nodes.entries()) {
    if (expected === undefined) throw new StateProofError(claim, `path[${index}]`, "is after the end of the path");
    if (!node.hash.equals(expected))
      throw new StateProofError(claim, `path[${index}]`, index === 0 ? "is not the tree's root" : "is not linked");
    const step = stepAfter(node, rest);
    isParted ||= step.isParted;
    if (node.kind === "leaf" && !isParted) {
      if (index < nodes.length - 1) throw new StateProofError(claim, `path[${index + 1}]`, "is after a leaf");
      return node.valueHash;
    }
    expected = step.link;
    rest = step.rest;
  }
  if (nodes.length === 0 && !root.equals(ZERO_HASH))
    throw new StateProofError(claim, "path", "is empty, but the tree is not");
  if (nodes.length > 0 && !isParted) throw new StateProofError(claim, "path", "ends before the end of the path");
  return undefined;
}

/**
 * Why the tree after block `height` does not contain a value that a node still has: a lock that was used or expired,
 * a root namespace that expired. Undefined if the tree contains it. Source: catapult's `LockInfoHistory::isActive`
 * and `RootNamespaceHistory::isActive`.
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
  if (reason === undefined) throw new StateProofError(claim, "value", "was returned, but the tree has no such key");
  return { result: "inactive", reason };
}

function requireKey(claim: StateClaim, state: StateByKind[StateKind]): void {
  const key = keyOfState(claim.kind, state as never);
  if (!key.equals(claim.key)) throw new StateProofError(claim, "value", `belongs to ${hex(key)}`);
}

/**
 * Verifies a node's answers for a key against the state hash of a header: value (or its absence) and path have to be
 * from the same moment, after the block of that header. Throws `StateProofError`, naming the field, for malformed
 * bytes, a path that does not match the state hash or the key, a value that is not in the tree, or a missing value
 * that is. A value that is in the tree but cannot be decoded is `unknown`.
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
