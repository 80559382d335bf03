import type { Logger } from "pino";
import { BLOCK } from "../../catapult/entity/entity-layout.js";
import type { NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { hasStatement } from "../../catapult/entity/statement.js";
import { BlockRejectedError, verifyBlock } from "../../catapult/verify/verify.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { LedgerFollower } from "../execution/ledger-follower.js";
import type { ChainPosition } from "../step/chain-position.js";
import type { RangeLimit } from "../step/range-limit.js";

const NO_STATEMENT = Buffer.alloc(0);

/**
 * The required parent of the next block. The timestamp is in ms since the epoch adjustment, 0 before the nemesis
 * block.
 */
export interface Parent extends ChainPosition {
  readonly timestamp: number;
}

export interface FetchOptions {
  readonly node: NodeClient;
  readonly network: NetworkIdentity;
  readonly log: Logger;
  /** Size of one request; a node sends at most 42 blocks by default. */
  readonly range: RangeLimit;
  /** Executes the blocks: then only their bytes are requested from the node. */
  readonly ledger?: LedgerFollower | undefined;
}

/** A block as received from a node. */
export interface FetchedBlock {
  readonly bytes: Buffer;
  readonly statement: Buffer;
  readonly roots: Buffer[];
}

/** The other parts of a block: its statement, and the roots under its state hash. */
export async function fetchRest(node: NodeClient, height: number, bytes: Buffer): Promise<FetchedBlock> {
  const [statement, roots] = await Promise.all([fetchStatement(node, height, bytes), node.subCacheMerkleRoots(height)]);
  return { bytes, statement, roots };
}

/** A node that has no statement of a block does not respond at all. */
async function fetchStatement(node: NodeClient, height: number, block: Buffer): Promise<Buffer> {
  return hasStatement(block.subarray(BLOCK.receiptsHash, BLOCK.stateHash))
    ? node.blockStatement(height)
    : Buffer.alloc(0);
}

/**
 * The next blocks after `parent`, each verified before it is returned: as many as the node sends at once. Statements
 * and roots are requested together; a node answers the requests of one connection in order.
 * @returns an empty list when the node has none, or has left this branch meanwhile (the next round will show)
 * @throws BlockRejectedError when a block of the node's current branch is invalid; errors of the connection as they
 * are
 */
export async function fetchBlocks(parent: Parent, options: FetchOptions): Promise<VerifiedBlock[]> {
  const { node, network, log, range } = options;
  const first = parent.height + 1;
  const parts = await range.request(async (limits) => {
    const blocks = await node.blocks(first, limits);
    if (options.ledger) return blocks.map((bytes) => ({ bytes, statement: NO_STATEMENT, roots: [] }));
    return Promise.all(blocks.map((bytes, index) => fetchRest(node, first + index, bytes)));
  });
  const verified: VerifiedBlock[] = [];
  let previous: Parent = parent;
  for (const part of parts) {
    try {
      const block = options.ledger
        ? options.ledger.verify({ bytes: part.bytes, parent: previous })
        : verifyBlock({
            bytes: part.bytes,
            statementBytes: part.statement,
            subCacheMerkleRoots: part.roots,
            network,
            ...(previous.height > 0 && { previous }),
            checkSignatures: true,
          });
      verified.push(block);
      previous = block;
    } catch (error) {
      if (!(error instanceof BlockRejectedError)) throw error;
      // Blocks before it are valid and are written first; the next round begins with the invalid one.
      if (verified.length > 0 || (await branchMoved(options, previous.height + 1, part))) return verified;
      if (error.field === "previousHash" && (await hasOtherBlock(node, parent))) {
        log.debug({ height: parent.height }, "The node switched to another branch while blocks were requested");
        return [];
      }
      throw error;
    }
  }
  return verified;
}

/** Whether the node has left the branch of `parent`: then its next block rightly follows another one. */
async function hasOtherBlock(node: NodeClient, { height, hash }: Parent): Promise<boolean> {
  const [theirs] = await node.blockHashes(height, 1);
  return theirs !== undefined && !theirs.equals(hash);
}

/**
 * This takes several requests, and a node may switch branch between two of them: then a rejected block belongs to no
 * branch at all.
 */
async function branchMoved({ node, ledger }: FetchOptions, height: number, part: FetchedBlock): Promise<boolean> {
  const [bytes] = await node.blocks(height, { maxBlocks: 1, maxBytes: part.bytes.length });
  if (!bytes?.equals(part.bytes)) return true;
  if (ledger) return false;
  const statement = await fetchStatement(node, height, bytes);
  return !statement.equals(part.statement);
}
