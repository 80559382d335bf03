import type { ChainPosition, Step } from "./step.js";

/** Keeps a follower of blocks in step with whoever else hears of the chain. */
export interface Pace {
  /** Waits for `pollMs` milliseconds, or until there is something to look at. */
  nextLook(pollMs: number, signal: AbortSignal): Promise<void>;
  /** Called before blocks are written of which `tip` is the last. May take a moment: what the node said before it comes first. */
  beforeStep(tip: ChainPosition, signal: AbortSignal): Promise<void>;
  /** Called when a step was written. */
  afterStep(step: Step): void;
}
