import { renderBlockMessage, renderFinalizedBlock } from "../catapult/json/block.js";
import { renderTransactionMessage } from "../catapult/json/transaction.js";
import type { VerifiedBlock } from "../catapult/model.js";
import type { StoredEvent } from "../schema/db/events.js";
import type { Finalization } from "../schema/db/head.js";
import { concernedAddresses } from "./rows.js";
import type { Step } from "./step.js";

/** An event before it got its sequence. */
export type NewEvent = Omit<StoredEvent, "sequence">;

/** What a step tells, in order: the drop, then each block followed by its transactions, then finalization. */
export function* stepEvents(step: Step): Generator<NewEvent> {
  if (step.rollBackTo) yield droppedBlocks(step.rollBackTo.height, step.previous.height);
  for (const block of step.blocks) yield* blockEvents(block);
  if (step.finalization) yield finalizedBlock(step.finalization);
}

function droppedBlocks(keptHeight: number, oldHeight: number): NewEvent {
  return {
    channel: "droppedBlocks",
    height: keptHeight,
    addresses: [],
    data: JSON.stringify({
      height: String(keptHeight),
      droppedFrom: String(keptHeight + 1),
      droppedTo: String(oldHeight),
    }),
  };
}

function* blockEvents(block: VerifiedBlock): Generator<NewEvent> {
  yield { channel: "block", height: block.height, addresses: [], data: renderBlockMessage(block) };
  for (const transaction of block.transactions) {
    yield {
      channel: "confirmedAdded",
      height: block.height,
      addresses: concernedAddresses(block, transaction),
      data: renderTransactionMessage(transaction, block.height),
    };
  }
}

function finalizedBlock(finalization: Finalization): NewEvent {
  return {
    channel: "finalizedBlock",
    height: finalization.height,
    addresses: [],
    data: renderFinalizedBlock(finalization),
  };
}
