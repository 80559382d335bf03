import { merkleRoot } from "../crypto/merkle.js";
import { AGGREGATE, paddingSize, VERIFIABLE } from "../entity/entity-layout.js";
import { sha3 } from "../entity/hashes.js";
import { hex } from "../entity/hex.js";
import { embeddedRanges } from "../entity/transaction.js";
import { knownCorruptHashes } from "./network-exceptions.js";

/** From this version of aggregates on, only the correct computation is accepted. */
const STRICT_VERSION = 2;

/**
 * The hash (32 bytes) over an aggregate's embedded transactions as in its header: the Merkle root of the sha3-256 of
 * each, without the padding after it. Throws `EntityError` when the aggregate's sizes are invalid.
 */
export function embeddedTransactionsHash(aggregate: Buffer): Buffer {
  return merkleRoot(embeddedLeaves(aggregate, false));
}

function embeddedLeaves(aggregate: Buffer, isPaddingHashed: boolean): Buffer[] {
  return embeddedRanges(aggregate).map(({ start, end }) => {
    const padding = isPaddingHashed ? Buffer.alloc(paddingSize(end - start)) : Buffer.alloc(0);
    return sha3(aggregate.subarray(start, end), padding);
  });
}

/**
 * The root as early client libraries computed it: instead of replacing a level by its parents, each parent is
 * inserted before the unread nodes, so that later pairs are wrong. Source: catapult's
 * `crypto/InvalidMerkleHashBuilder`, which is kept for aggregates of version 1.
 */
export function shiftedMerkleRoot(leaves: readonly Buffer[]): Buffer {
  const nodes = [...leaves];
  let remaining = nodes.length;
  while (remaining > 1) {
    for (let i = 0; i < remaining; i += 2) {
      const isAlone = i + 1 >= remaining;
      const parent = sha3(nodes[i]!, nodes[isAlone ? i : i + 1]!);
      nodes.splice(i / 2, 0, parent);
      nodes.splice(Math.min(nodes.length - 1, remaining), 1);
      if (isAlone) ++remaining;
    }
    remaining /= 2;
  }
  return nodes[0] ?? Buffer.alloc(32);
}

/**
 * Whether the hash in an aggregate's header is one that its network accepts for its embedded transactions. Version 1
 * may also have a hash over padded transactions, over a shifted tree, or one of those that the network lists as
 * corrupt. Source: catapult's `AggregateTransactionsHashValidator`.
 */
export function isEmbeddedHashAccepted(
  aggregate: Buffer,
  entityHash: Buffer,
  generationHashSeed: Buffer,
  corruptAggregateHashes: ReadonlyMap<string, string> = knownCorruptHashes(generationHashSeed),
): boolean {
  const claimed = aggregate.subarray(AGGREGATE.transactionsHash, AGGREGATE.payloadSize);
  if (embeddedTransactionsHash(aggregate).equals(claimed)) return true;
  if (aggregate[VERIFIABLE.version]! >= STRICT_VERSION) return false;
  const padded = embeddedLeaves(aggregate, true);
  if (merkleRoot(padded).equals(claimed)) return true;
  if (shiftedMerkleRoot(embeddedLeaves(aggregate, false)).equals(claimed)) return true;
  if (shiftedMerkleRoot(padded).equals(claimed)) return true;
  const corrupt = corruptAggregateHashes.get(hex(entityHash));
  return corrupt === hex(claimed);
}
