const TICK_MS = 50;
const STEP_MS = 2;
/** Questions to a database or a server take processor time from what is waited for: long waits ask less often. */
const LONGEST_STEP_MS = 25;

/**
 * Waits for a condition; fails after `timeoutMs` since the last change of the number returned by `progress`.
 *
 * @param what what is waited for, as text or as a function that is asked when the time is over
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string),
  timeoutMs = 120_000,
  progress: () => number = () => 0,
): Promise<void> {
  let reached = progress();
  const start = Date.now();
  let deadline = start + timeoutMs;
  while (!(await holds())) {
    if (progress() !== reached) {
      reached = progress();
      deadline = Date.now() + timeoutMs;
    }
    if (Date.now() > deadline) {
      throw new Error(`Not within ${timeoutMs} ms: ${typeof what === "string" ? what : what()}`);
    }
    await pause(stepAfter(Date.now() - start));
  }
}

function stepAfter(ms: number): number {
  return Math.min(LONGEST_STEP_MS, Math.max(STEP_MS, Math.round(ms / 16)));
}

/** Takes `ms`, between two requests of a loop or as a slow part. What should have happened after it is asked with the others. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits for a moment within `ms` that is as good as any other one. */
export function anyMoment(random: { below(limit: number): number }, ms: number): Promise<void> {
  return pause(random.below(ms));
}

/** Resolves after `ms` in which this process could run: waiting for a processor does not count. */
export async function afterOwnTime(ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += TICK_MS) {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS).unref());
  }
}

/** Whether a condition holds before `ms` have passed in which this process could run. */
export async function isWithin(ms: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let waited = 0; waited < ms; ) {
    if (await holds()) return true;
    const step = stepAfter(waited);
    await pause(step);
    waited += step;
  }
  return false;
}
