import { EntityError } from "../../../catapult/entity/entity-error.js";
import { sha3OfMany } from "../../../catapult/entity/hashes.js";
import { stateKeySize, statePathPacket } from "../../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../../catapult/state/kind.js";
import { decodeStatePath } from "../../../catapult/state/tree-path.js";
import { NodeError, NodeUnavailableError } from "../../../catapult/wire/errors.js";
import type { NodeClient } from "../../../catapult/wire/node-client.js";

/** A rejected block, and the result of executing it. */
export interface RejectedExecution {
  readonly height: number;
  readonly hash: Buffer;
  /** The state hash of its header. */
  readonly stateHash: Buffer;
  /** The roots of the nine sub-caches, 32 bytes each; undefined if the block could not be executed completely. */
  readonly subCacheMerkleRoots?: readonly Buffer[];
}

type ComparedNode = Pick<NodeClient, "blockHashes" | "chainStatistics" | "statePath">;

/**
 * The sub-caches whose roots after a rejected block differ from the node's. Any node answers state paths, each of which
 * begins at a root, for the state after its newest block: if that is another one, or its roots do not have the state
 * hash of the header, nothing is known, and the list is empty.
 */
export async function differingSubCaches(node: ComparedNode, rejected: RejectedExecution): Promise<StateKind[]> {
  const { subCacheMerkleRoots: ours, stateHash } = rejected;
  if (!ours) return [];
  try {
    const theirs = await rootsAfter(node, rejected);
    if (!theirs || !sha3OfMany(theirs).equals(stateHash)) return [];
    return STATE_KINDS.filter((_, index) => !theirs[index]!.equals(ours[index]!));
  } catch (error) {
    const isOfNode = error instanceof NodeError || error instanceof NodeUnavailableError;
    if (isOfNode || error instanceof EntityError) return [];
    throw error;
  }
}

async function rootsAfter(node: ComparedNode, block: RejectedExecution): Promise<readonly Buffer[] | undefined> {
  if (!(await isHead(node, block))) return undefined;
  const roots = await Promise.all(STATE_KINDS.map((kind) => requestRoot(node, kind)));
  return (await isHead(node, block)) ? roots : undefined;
}

async function requestRoot(node: ComparedNode, kind: StateKind): Promise<Buffer> {
  const path = await node.statePath(statePathPacket(kind), Buffer.alloc(stateKeySize(kind)));
  return decodeStatePath(path)[0]?.hash ?? Buffer.alloc(32);
}

async function isHead(node: ComparedNode, { height, hash }: RejectedExecution): Promise<boolean> {
  const [statistics, [theirs]] = await Promise.all([node.chainStatistics(), node.blockHashes(height, 1)]);
  return statistics.height === height && theirs?.equals(hash) === true;
}
