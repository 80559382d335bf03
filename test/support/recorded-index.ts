import { BranchNode } from "./branch-node.js";
import { serverCredentials, silentLog } from "./connection-fixtures.js";
import { IndexedDatabase } from "./indexer-fixture.js";
import type { RecordedChain } from "./recorded-chain.js";
import { recordedNode } from "./recorded-node.js";
import { recordedConfig, recordedStateOptions, StateNode } from "./state-node.js";

/** The newest finalization of the recorded network. */
export const RECORDED_FINALIZED = { epoch: 16, point: 14, height: 592 };
/** The finalized block when the last one was recorded: what ended above it was not deleted before the recording. */
export const FINALIZED_BEFORE_LAST = { epoch: 16, point: 13, height: 588 };

/** An index that followed the recorded chain to its last block, without state. */
export function indexOfBlocks(chain: RecordedChain): Promise<IndexedDatabase> {
  return IndexedDatabase.filled("recorded_blocks", async (index) => {
    const node = await BranchNode.start({ ...recordedNode(chain), credentials: serverCredentials, log: silentLog });
    try {
      node.finalize(RECORDED_FINALIZED);
      await index.follow(node.address);
      const isWhole = ({ height, finalization }: { height: number; finalization: { height: number } }) =>
        height === node.height && finalization.height === RECORDED_FINALIZED.height;
      await index.waitFor(isWhole, 90_000);
      await index.stop();
    } finally {
      await node.close();
    }
  });
}

/** An index that followed `recordedStateNode` to its last block, and read the state there. */
export function indexWithState(chain: RecordedChain): Promise<IndexedDatabase> {
  return IndexedDatabase.filled("recorded_state", async (index) => {
    const node = await recordedStateNode(chain);
    try {
      await index.follow(node.address, { state: recordedStateOptions(recordedConfig(chain)) });
      await index.waitForState(node.node.hashAt(node.node.height));
      await index.waitFor((head) => head.finalization.height === FINALIZED_BEFORE_LAST.height);
      await index.stop();
    } finally {
      await node.close();
    }
  });
}

/** A node that executed the recorded chain, and deleted what had finally ended at its last block. */
export async function recordedStateNode(chain: RecordedChain): Promise<StateNode> {
  const { blocks } = recordedNode(chain);
  const node = await StateNode.start(chain, blocks.slice(0, -1));
  node.finalize(FINALIZED_BEFORE_LAST);
  node.switchTo(blocks);
  return node;
}

/** Finalization proofs of the recorded network by epoch. */
export function recordedProofs(chain: RecordedChain): Map<number, Buffer> {
  return new Map(chain.finalizationProofs().map(({ epoch, proof }) => [epoch, proof]));
}

/** A node of the recorded chain that trusts no client: it serves only blocks and proofs. */
export async function recordedUntrustingNode(
  chain: RecordedChain,
  proofs: ReadonlyMap<number, Buffer>,
): Promise<BranchNode> {
  const recording = recordedNode(chain);
  const blocks = recording.blocks.map(({ block }) => ({ block, statement: Buffer.alloc(0) }));
  const node = await BranchNode.start({ ...recording, blocks, credentials: serverCredentials, log: silentLog });
  node.finalize(RECORDED_FINALIZED);
  node.showProofs(proofs);
  return node;
}

/** An index that executed the recorded chain to its last block, from blocks and proofs alone. */
export function executedIndex(chain: RecordedChain): Promise<IndexedDatabase> {
  return IndexedDatabase.filled("recorded_executed", async (index) => {
    const node = await recordedUntrustingNode(chain, recordedProofs(chain));
    const config = recordedConfig(chain);
    try {
      await index.follow(node.address, { execution: { configOf: () => config }, state: recordedStateOptions(config) });
      const isWhole = ({ height, finalization }: { height: number; finalization: { height: number } }) =>
        height === node.height && finalization.height === RECORDED_FINALIZED.height;
      await index.waitFor(isWhole, 90_000);
      await index.stop();
    } finally {
      await node.close();
    }
  });
}
