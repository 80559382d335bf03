import { setTimeout as sleep } from "node:timers/promises";
import type { BlockRange } from "./block-range.js";

/** Follows what is written of the chain, and knows of news about it. */
export interface RangeListener {
  /** The index has everything that the node has. Waits for `pollMs` milliseconds, or until there is news. */
  awaitNews(pollMs: number, signal: AbortSignal): Promise<void>;
  /**
   * Called before a range is written. May take a moment: what the node reported before its newest block is written first.
   * @param nodeHeight the height of the node's chain
   */
  beforeWriting(range: BlockRange, nodeHeight: number, signal: AbortSignal): Promise<void>;
  /** Called when a range was written, and before the index is filled without events. */
  afterWriting(range: Pick<BlockRange, "emitsEvents" | "rollBackTo">): void;
}

/** Nothing else than the chain is followed. */
export const NO_LISTENER: RangeListener = {
  awaitNews: async (pollMs, signal) => {
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  },
  beforeWriting: async () => undefined,
  afterWriting: () => undefined,
};
