import { setTimeout as sleep } from "node:timers/promises";
import type { Step } from "./step.js";

/** Keeps a follower of blocks in step with another source of news about the chain. */
export interface Pace {
  /** The index has everything that the node has. Waits for `pollMs` milliseconds, or until there is news. */
  nextLook(pollMs: number, signal: AbortSignal): Promise<void>;
  /**
   * Called before a step is written. May take a moment: what the node reported before its newest block is written
   * first.
   * @param nodeHeight the height of the node's chain
   */
  beforeStep(step: Step, nodeHeight: number, signal: AbortSignal): Promise<void>;
  /** Called when a step was written, and before the index is filled without events. */
  afterStep(step: Pick<Step, "announce" | "rollBackTo">): void;
}

/** The pace of a follower without another source. */
export const OWN_PACE: Pace = {
  nextLook: async (pollMs, signal) => {
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  },
  beforeStep: async () => undefined,
  afterStep: () => undefined,
};
