import { openLedger } from "../../indexer/chain/execution/options.js";
import { StepWriter } from "../../indexer/chain/write/write.js";
import { BranchNode } from "./branch-node.js";
import { serverCredentials, silentLog } from "./connection-fixtures.js";
import { IndexedDatabase } from "./indexer-fixture.js";
import { knownExecution, recordedConfig } from "./known-networks.js";
import type { RecordedChain } from "./recorded-chain.js";
import { recordedNode } from "./recorded-node.js";
import { recordedStateOptions, StateNode } from "./state-node.js";
import { emptyStep } from "./write-blocks.js";

/** The newest finalization of the recorded network. */
export const RECORDED_FINALIZED = { epoch: 16, point: 14, height: 592 };
/** The finalized block when the last one was recorded: what ended above it was not deleted before the recording. */
export const FINALIZED_BEFORE_LAST = { epoch: 16, point: 13, height: 588 };

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

/** An index as the node was when its answers were recorded. The recorded proof of the last epoch is of a later point. */
export function indexWhenRecorded(chain: RecordedChain): Promise<IndexedDatabase> {
  return IndexedDatabase.filled("when_recorded", async (index) => {
    const proofs = recordedProofs(chain);
    proofs.delete(RECORDED_FINALIZED.epoch);
    const node = await recordedBranchNode(chain, proofs);
    try {
      await index.follow(node.address, { state: recordedStateOptions(recordedConfig(chain)) });
      await index.waitForHash(node.hashAt(node.height));
      await index.stop();
      const { db } = index;
      const head = await index.waitFor(() => true);
      const ledger = await openLedger(knownExecution, { db, network: chain.network, log: silentLog });
      await ledger.align(head, head);
      const { height } = FINALIZED_BEFORE_LAST;
      const finalization = { ...FINALIZED_BEFORE_LAST, hash: node.hashAt(height) };
      const state = ledger.change({ blocks: [], finalizedHeight: height, nodeFinalizedHeight: height });
      const writer = new StepWriter({ db, network: chain.network });
      await writer.write(emptyStep(head, { finalizations: [finalization], state }));
    } finally {
      await node.close();
    }
  });
}

/** A node of the recorded chain that serves only blocks and proofs. */
export async function recordedBranchNode(
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
    const node = await recordedBranchNode(chain, recordedProofs(chain));
    const config = recordedConfig(chain);
    try {
      await index.follow(node.address, { state: recordedStateOptions(config) });
      const isWhole = ({ height, finalization }: { height: number; finalization: { height: number } }) =>
        height === node.height && finalization.height === RECORDED_FINALIZED.height;
      await index.waitFor(isWhole);
      await index.stop();
    } finally {
      await node.close();
    }
  });
}
