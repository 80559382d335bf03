import { sha3, sha3OfMany } from "../../catapult/entity/hashes.js";
import { stateKeySize, statePackets } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { StateTree } from "../../ledger/state/state-table.js";
import type { ProvenLeaf } from "../../ledger/state/unproven-entry.js";
import { KeySearch } from "./key-search.js";
import { type ComparedNode, nodeTree, orUndefined, rootsAfter, treeOf } from "./node-comparison.js";
import { treeDifferences } from "./tree-differences.js";

/** Our state after a block that the node has. */
export interface ComparedState {
  readonly height: number;
  readonly hash: Buffer;
  /** Of its header. */
  readonly stateHash: Buffer;
  /** Of the nine sub-caches. */
  readonly trees: readonly StateTree[];
  readonly roots: readonly Buffer[];
  /** The keys of the entries of a kind. */
  readonly keysOf: (kind: StateKind) => Iterable<Buffer>;
}

/** Paths of one tree that are requested at most: a state that differs in more entries is not repaired. */
const PATHS_OF_A_KIND = 20_000;
const FIRST_DIGITS = [..."0123456789abcdef"];

/**
 * The leaves in which our state trees and the node's differ, after its newest block, as the node has them. Each is
 * proven: its path leads to a root under the state hash of the block's header.
 *
 * @returns undefined if the node's newest block is another one, or what it serves is not that state
 */
export async function differingLeaves(
  node: ComparedNode,
  { trees, roots, keysOf, ...block }: ComparedState,
): Promise<ProvenLeaf[] | undefined> {
  return orUndefined(async () => {
    const theirs = await rootsAfter(node, block);
    if (!theirs || !sha3OfMany(theirs).equals(block.stateHash)) return undefined;
    const found: ProvenLeaf[] = [];
    for (const [index, kind] of STATE_KINDS.entries()) {
      const [own, root] = [roots[index]!, theirs[index]!];
      if (own.equals(root)) continue;
      const search = new KeySearch(stateKeySize(kind), () => keysOf(kind));
      const mine = treeOf(trees[index]!, own);
      const their = nodeTree(node, kind, { root, search, most: PATHS_OF_A_KIND });
      const below = async (digit: string) => {
        const leaves: ProvenLeaf[] = [];
        for await (const { position, leaf } of treeDifferences(mine, their, digit)) {
          leaves.push({ kind, position, key: search.knownUnder(position), leaf });
        }
        return leaves;
      };
      found.push(...(await Promise.all(FIRST_DIGITS.map(below))).flat());
    }
    return found;
  });
}

/** The leaves, with the values of those whose key is known, if the node gives them: one that trusts this host does. */
export async function withValues(
  node: Pick<NodeClient, "stateValues">,
  leaves: readonly ProvenLeaf[],
): Promise<readonly ProvenLeaf[]> {
  const valued = await orUndefined(async () => {
    const all: ProvenLeaf[] = [];
    for (const one of leaves) {
      const { kind, key, leaf } = one;
      const [answer] = key && leaf ? await node.stateValues(statePackets(kind).values, [key]) : [];
      const value = answer?.value;
      all.push(value && leaf && sha3(value).equals(leaf) ? { ...one, value } : one);
    }
    return all;
  });
  return valued ?? leaves;
}
