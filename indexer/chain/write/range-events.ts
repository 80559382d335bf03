import type { VerifiedBlock } from "../../../catapult/entity/model.js";
import { uniqueAddresses } from "../../../catapult/entity/related-addresses.js";
import { cosignerAddresses } from "../../../catapult/entity/transaction.js";
import { renderBlockMessage, renderFinalizedBlock } from "../../../catapult/json/block.js";
import { renderTransactionMessage } from "../../../catapult/json/transaction.js";
import type { DroppedBlocksBody } from "../../../catapult/structs/block.js";
import type { Finalization } from "../../../database/queries/head.js";
import type { RemovalEvents } from "../../mempool/pending-in-blocks.js";
import type { BlockRange } from "../step/block-range.js";
import type { NewEvent } from "../step/event-log.js";

/**
 * The events of a range, in order: the drop, then for each block the removal of its transactions from the pending ones,
 * the block, and their confirmation, then finalization.
 *
 * @param blocks of the range
 * @param finalization if it moved
 * @param tellsCosigners whether who has only cosigned a transaction gets its `confirmedAdded`
 */
export function* rangeEvents(
  { rollBackTo, indexed }: BlockRange,
  blocks: readonly VerifiedBlock[],
  finalization: Finalization | undefined,
  removalEvents: RemovalEvents,
  tellsCosigners: boolean,
): Generator<NewEvent> {
  if (rollBackTo) {
    const { height } = rollBackTo;
    const [droppedFrom, droppedTo] = [String(height + 1), String(indexed.height)];
    const data = JSON.stringify({ height: String(height), droppedFrom, droppedTo } satisfies DroppedBlocksBody);
    yield { channel: "droppedBlocks", height, addresses: [], data };
  }
  for (const block of blocks) yield* blockEvents(block, removalEvents, tellsCosigners);
  if (!finalization) return;
  const { height } = finalization;
  yield { channel: "finalizedBlock", height, addresses: [], data: renderFinalizedBlock(finalization) };
}

function* blockEvents(
  block: VerifiedBlock,
  removalEvents: RemovalEvents,
  tellsCosigners: boolean,
): Generator<NewEvent> {
  for (const { hash } of block.transactions) yield* removalEvents.get(hash.toString("hex")) ?? [];
  yield { channel: "block", height: block.height, addresses: [], data: renderBlockMessage(block) };
  for (const transaction of block.transactions) {
    const cosigners = tellsCosigners ? cosignerAddresses(transaction) : [];
    yield {
      channel: "confirmedAdded",
      height: block.height,
      addresses: uniqueAddresses([...transaction.relatedAddresses, ...cosigners]),
      data: renderTransactionMessage(transaction, block.height),
    };
  }
}
