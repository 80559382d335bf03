import { sha3OfMany } from "../../catapult/entity/hashes.js";
import { hex } from "../../catapult/entity/hex.js";
import { type StateKey, statePackets } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { NodeError, NodeUnavailableError } from "../../catapult/wire/errors.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { RejectedExecution } from "./ledger-follower.js";

/** Differences between the state after a rejected block and the node's. */
export interface NodeComparison {
  /** Whether the node sends roots that match the block's state hash: it trusts us, and has this state. */
  readonly hasProvenRoots: boolean;
  /** Sub-caches whose roots differ; none if the node sends no roots, or the block was not executed completely. */
  readonly kinds: readonly StateKind[];
  /**
   * Some of the keys that the block changed here and whose values differ, if the node's newest block is this one. A
   * key that only the node changed is not among them: then a sub-cache's root differs without a key.
   */
  readonly keys: readonly StateKey[];
}

const NO_COMPARISON: NodeComparison = { hasProvenRoots: false, kinds: [], keys: [] };
/** Maximum number of kinds for which values are requested. */
const KINDS_COMPARED = 3;
const KEYS_OF_A_KIND = 50;
const KEYS_NAMED = 5;

/**
 * Compares the result of executing a rejected block with the node's roots and values, in at most eight requests. A
 * node without the diagnostics extension, or that does not trust this host, closes the connection on the first one.
 */
export async function compareWithNode(node: NodeClient, rejected: RejectedExecution): Promise<NodeComparison> {
  const { height, stateHash, subCacheMerkleRoots: ours } = rejected;
  let comparison = NO_COMPARISON;
  try {
    const theirs = await node.subCacheMerkleRoots(height);
    const hasProvenRoots = theirs.length > 0 && sha3OfMany(theirs).equals(stateHash);
    const kinds = STATE_KINDS.filter((_, index) => ours && theirs[index] && !theirs[index].equals(ours[index]!));
    comparison = { hasProvenRoots, kinds, keys: [] };
    return { ...comparison, keys: await differingKeys(node, rejected, kinds) };
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof NodeUnavailableError)) throw error;
    return comparison;
  }
}

/** Such as `the roots of account, mosaic differ from the node's; first keys that differ: account 98…`; may be empty. */
export function describeComparison({ kinds, keys }: NodeComparison): string {
  if (kinds.length === 0) return "";
  const named = keys.map(({ kind, key }) => `${kind} ${hex(key)}`).join(", ");
  return `the roots of ${kinds.join(", ")} differ from the node's${named && `; first keys that differ: ${named}`}`;
}

async function differingKeys(
  node: NodeClient,
  rejected: RejectedExecution,
  kinds: readonly StateKind[],
): Promise<StateKey[]> {
  if (kinds.length === 0 || !(await isHead(node, rejected))) return [];
  const keys: StateKey[] = [];
  for (const kind of kinds.slice(0, KINDS_COMPARED)) {
    const changes = rejected.changes.filter((change) => change.kind === kind).slice(0, KEYS_OF_A_KIND);
    if (changes.length === 0) continue;
    const values = await node.stateValues(
      statePackets(kind).values,
      changes.map(({ key }) => key),
    );
    for (const [index, { key, after }] of changes.entries()) {
      const theirs = values[index]?.value;
      if (theirs ? !after?.value.equals(theirs) : after !== undefined) keys.push({ kind, key });
    }
  }
  return (await isHead(node, rejected)) ? keys.slice(0, KEYS_NAMED) : [];
}

/** Values are those after the node's newest block: they can be compared only while this is the rejected one. */
async function isHead(node: NodeClient, { height, hash }: RejectedExecution): Promise<boolean> {
  const [statistics, [theirs]] = await Promise.all([node.chainStatistics(), node.blockHashes(height, 1)]);
  return statistics.height === height && theirs?.equals(hash) === true;
}
