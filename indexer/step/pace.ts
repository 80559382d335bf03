import { setTimeout as sleep } from "node:timers/promises";
import type { Step } from "./step.js";

/** Keeps a follower of blocks in step with whoever else hears of the chain. */
export interface Pace {
  /** The index has all that the node has. Waits for `pollMs` milliseconds, or until there is something to look at. */
  nextLook(pollMs: number, signal: AbortSignal): Promise<void>;
  /**
   * Called before a step is written. May take a moment: what the node said before its newest block comes first.
   * @param nodeHeight the height of the node's chain
   */
  beforeStep(step: Step, nodeHeight: number, signal: AbortSignal): Promise<void>;
  /** Called when a step was written. */
  afterStep(step: Step): void;
}

/** The pace of a follower who hears of the chain from nobody else. */
export const OWN_PACE: Pace = {
  nextLook: async (pollMs, signal) => {
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  },
  beforeStep: async () => undefined,
  afterStep: () => undefined,
};
