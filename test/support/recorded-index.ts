import { decodeBlock } from "../../catapult/entity/block.js";
import type { Head } from "../../database/queries/head.js";
import { Executor } from "../../indexer/chain/execution/executor.js";
import { RangeWriter } from "../../indexer/chain/write/write.js";
import { BranchNode } from "./branch-node.js";
import { indexContext } from "./index-context.js";
import { type FilledIndex, IndexedDatabase } from "./indexer-fixture.js";
import { recordedConfig } from "./known-networks.js";
import type { RecordedChain } from "./recorded-chain.js";
import { recordedNode } from "./recorded-node.js";
import { StateNode } from "./state-node.js";

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

/** The recorded chain to its last block, without the proof of the last epoch: what the other two have in common. */
const recordedOpen = (chain: RecordedChain): FilledIndex => ({
  name: "recorded_open",
  fill: (index) => {
    const proofs = recordedProofs(chain);
    proofs.delete(RECORDED_FINALIZED.epoch);
    return followRecorded(index, chain, proofs, () => true);
  },
});

/** An index as the node was when its answers were recorded. The recorded proof of the last epoch is of a later point. */
export function indexWhenRecorded(chain: RecordedChain): Promise<IndexedDatabase> {
  const fill = async (index: IndexedDatabase) => {
    const { db } = index;
    const head = await index.waitFor(() => true);
    const context = { ...indexContext(db, chain.network), config: recordedConfig(chain) };
    const ledger = new Executor(context);
    const range = await ledger.align(head, head);
    const { height } = FINALIZED_BEFORE_LAST;
    const { hash } = decodeBlock(recordedNode(chain).blocks[height - 1]!.block, chain.network);
    range.addEntries(ledger.endedBy(height));
    range.finalize({ ...FINALIZED_BEFORE_LAST, hash });
    range.floor = height;
    await new RangeWriter(context).write(range);
  };
  return IndexedDatabase.filled({ name: "when_recorded", fill }, recordedOpen(chain));
}

/** A node of the recorded chain that serves only blocks and proofs. */
export async function recordedBranchNode(
  chain: RecordedChain,
  proofs: ReadonlyMap<number, Buffer>,
): Promise<BranchNode> {
  const recording = recordedNode(chain);
  const blocks = recording.blocks.map(({ block }) => ({ block, statement: Buffer.alloc(0) }));
  const node = await BranchNode.start({ ...recording, blocks });
  node.finalize(RECORDED_FINALIZED);
  node.showProofs(proofs);
  return node;
}

/** An index that executed the recorded chain to its last block, from blocks and proofs alone. */
export function executedIndex(chain: RecordedChain): Promise<IndexedDatabase> {
  const fill = (index: IndexedDatabase) =>
    followRecorded(
      index,
      chain,
      recordedProofs(chain),
      (head) => head.finalization.height === RECORDED_FINALIZED.height,
    );
  return IndexedDatabase.filled({ name: "recorded_executed", fill }, recordedOpen(chain));
}

/** Follows a node of the recorded chain to its last block, until the head is as it has to be. */
async function followRecorded(
  index: IndexedDatabase,
  chain: RecordedChain,
  proofs: ReadonlyMap<number, Buffer>,
  isWhole: (head: Head) => boolean,
): Promise<void> {
  const node = await recordedBranchNode(chain, proofs);
  try {
    await index.follow(node.address);
    await index.waitFor((head) => head.height === node.height && isWhole(head));
    await index.stop();
  } finally {
    await node.close();
  }
}
