import { EntityError } from "../../catapult/entity/entity-error.js";
import { sha3OfMany } from "../../catapult/entity/hashes.js";
import { hex } from "../../catapult/entity/hex.js";
import { stateKeySize, statePackets } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { decodeStatePath } from "../../catapult/state/tree-path.js";
import { NodeError, NodeUnavailableError } from "../../catapult/wire/errors.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { EntryChange } from "../../ledger/engine/entry-changes.js";
import type { StateTree } from "../../ledger/state/state-table.js";
import { KeySearch } from "./key-search.js";
import { type TreeDifference, treeDifferences } from "./tree-differences.js";
import { TreeChangedError, TreeView } from "./tree-view.js";

/** A rejected block, and the result of executing it. */
export interface RejectedExecution {
  readonly height: number;
  readonly hash: Buffer;
  /** Of its header. */
  readonly stateHash: Buffer;
  /** Of the nine sub-caches, 32 bytes each; undefined if the block could not be executed completely. */
  readonly subCacheMerkleRoots?: readonly Buffer[];
  /** Of the nine sub-caches, after the block; like the roots. */
  readonly trees?: readonly StateTree[];
  /** Its changed entries, with their values after it. */
  readonly changes: readonly EntryChange[];
}

/** An entry of the state that differs from the node's. */
export interface DifferingEntry {
  readonly kind: StateKind;
  /**
   * Undefined for an entry that only the node has: its tree shows the sha3-256 of the key, from which the key does not
   * follow.
   */
  readonly key: Buffer | undefined;
  /** The sha3-256 of the key, hex digits. */
  readonly position: string;
  readonly isIn: "both" | "ours" | "node";
}

/** Differences between the state after a rejected block and the node's. */
export interface NodeComparison {
  /** Whether the node sends roots that match the block's state hash: it trusts us, and has this state. */
  readonly hasProvenRoots: boolean;
  /** Sub-caches whose roots differ; none if the node has no such state, or the block was not executed completely. */
  readonly kinds: readonly StateKind[];
  /** The first entries that differ, also those that only the node changed, if the node's newest block is this one. */
  readonly entries: readonly DifferingEntry[];
}

/** What is requested of a node. */
export type ComparedNode = Pick<NodeClient, "blockHashes" | "chainStatistics" | "statePath" | "subCacheMerkleRoots">;

/** Maximum number of kinds whose trees are compared, and of entries named. */
const KINDS_COMPARED = 3;
const ENTRIES_NAMED = 5;
/** Maximum number of paths requested for one kind: a differing entry takes one for each of its digits that others share. */
const PATHS_OF_A_KIND = 60;
const ROOT_SIZE = 32;

/**
 * Compares the result of executing a rejected block with the node's state. State paths are answered by any node, for
 * the state after its newest block: if that is the rejected one, its trees are read from the roots down to the entries
 * that differ. A node that trusts this host also returns the roots after earlier blocks; another one closes the
 * connection then, so this is requested last.
 *
 * @param keysOf the keys of the entries of a kind, before the block
 */
export async function compareWithNode(
  node: ComparedNode,
  rejected: RejectedExecution,
  keysOf: (kind: StateKind) => Iterable<Buffer>,
): Promise<NodeComparison> {
  const { height, stateHash, subCacheMerkleRoots: ours = [] } = rejected;
  const compared = await orUndefined(() => compareTrees(node, rejected, keysOf));
  const theirs = (await orUndefined(() => node.subCacheMerkleRoots(height))) ?? [];
  const hasProvenRoots = theirs.length > 0 && sha3OfMany(theirs).equals(stateHash);
  return { hasProvenRoots, kinds: compared?.kinds ?? differingKinds(ours, theirs), entries: compared?.entries ?? [] };
}

/** Such as `the roots of account, mosaic differ from the node's; first keys that differ: account 98…`; may be empty. */
export function describeComparison({ kinds, entries }: NodeComparison): string {
  if (kinds.length === 0) return "";
  const named = entries.map(describeEntry).join(", ");
  return `the roots of ${kinds.join(", ")} differ from the node's${named && `; first keys that differ: ${named}`}`;
}

/** Such as `account 98…`. */
export function describeEntry({ kind, key, position, isIn }: DifferingEntry): string {
  if (key) return `${kind} ${hex(key)}${isIn === "both" ? "" : isIn === "ours" ? " (which the node lacks)" : ""}`;
  return `${kind} whose key's sha3-256 is ${position.toUpperCase()} (${isIn === "ours" ? "which the node lacks" : "which only the node has"})`;
}

function differingKinds(ours: readonly Buffer[], theirs: readonly Buffer[]): StateKind[] {
  return STATE_KINDS.filter((_, index) => ours[index] && theirs[index] && !theirs[index].equals(ours[index]));
}

/** Undefined if the node's newest block is another one. */
async function compareTrees(
  node: ComparedNode,
  rejected: RejectedExecution,
  keysOf: (kind: StateKind) => Iterable<Buffer>,
): Promise<Pick<NodeComparison, "kinds" | "entries"> | undefined> {
  const { subCacheMerkleRoots: ours, trees } = rejected;
  const theirs = ours && trees && (await rootsAfter(node, rejected));
  if (!theirs) return undefined;
  const kinds = differingKinds(ours, theirs);
  const entries: DifferingEntry[] = [];
  for (const kind of kinds.slice(0, KINDS_COMPARED)) {
    const index = STATE_KINDS.indexOf(kind);
    const known = function* () {
      for (const change of rejected.changes) if (change.kind === kind) yield change.key;
      yield* keysOf(kind);
    };
    const search = new KeySearch(stateKeySize(kind), known);
    const mine = treeOf(trees[index]!, ours[index]!);
    const their = nodeTree(node, kind, { root: theirs[index]!, search, most: PATHS_OF_A_KIND });
    const differences: TreeDifference[] = [];
    // What was found before the node stops answering is named all the same.
    await orUndefined(async () => {
      for await (const difference of treeDifferences(mine, their)) {
        if (differences.push(difference) === ENTRIES_NAMED) return;
      }
    });
    entries.push(...named(kind, differences, search));
  }
  return { kinds, entries: entries.slice(0, ENTRIES_NAMED) };
}

function named(kind: StateKind, differences: readonly TreeDifference[], search: KeySearch): DifferingEntry[] {
  return differences.map(({ position, isIn }) => ({
    kind,
    key: search.knownUnder(position),
    position,
    isIn: isIn === "both" ? isIn : isIn === "first" ? "ours" : "node",
  }));
}

/**
 * The roots of the node's trees after a block; undefined if that is not the node's newest one, since paths are those
 * after that.
 */
export async function rootsAfter(
  node: ComparedNode,
  block: Pick<RejectedExecution, "height" | "hash">,
): Promise<readonly Buffer[] | undefined> {
  if (!(await isHead(node, block))) return undefined;
  const roots = await Promise.all(STATE_KINDS.map((kind) => rootOf(node, kind)));
  return (await isHead(node, block)) ? roots : undefined;
}

async function rootOf(node: ComparedNode, kind: StateKind): Promise<Buffer> {
  const path = await node.statePath(statePackets(kind).path, Buffer.alloc(stateKeySize(kind)));
  return decodeStatePath(path)[0]?.hash ?? Buffer.alloc(ROOT_SIZE);
}

/** A tree of ours. */
export function treeOf(tree: StateTree, root: Buffer): TreeView {
  return new TreeView(async (prefix) => tree.path(Buffer.from(prefix.padEnd(2 * ROOT_SIZE, "0"), "hex")), root);
}

/** A tree of the node, of which at most `most` paths are requested. */
export function nodeTree(
  node: ComparedNode,
  kind: StateKind,
  { root, search, most }: { readonly root: Buffer; readonly search: KeySearch; readonly most: number },
): TreeView {
  let left = most;
  const read = async (prefix: string): Promise<Buffer> => {
    const key = left-- > 0 ? search.under(prefix) : undefined;
    if (!key) throw new TreeChangedError(`No path towards ${prefix} was requested`);
    return node.statePath(statePackets(kind).path, key);
  };
  return new TreeView(read, root);
}

/** Undefined when the node does not answer, or what it answers is no tree. */
export async function orUndefined<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    const isOfNode = error instanceof NodeError || error instanceof NodeUnavailableError;
    if (isOfNode || error instanceof TreeChangedError || error instanceof EntityError) return undefined;
    throw error;
  }
}

async function isHead(
  node: ComparedNode,
  { height, hash }: Pick<RejectedExecution, "height" | "hash">,
): Promise<boolean> {
  const [statistics, [theirs]] = await Promise.all([node.chainStatistics(), node.blockHashes(height, 1)]);
  return statistics.height === height && theirs?.equals(hash) === true;
}
