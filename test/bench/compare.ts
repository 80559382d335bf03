/** Does the work once and says how long it took, or how much it got done; the same measure on both sides. */
export type Work = () => Promise<number>;

export interface Comparison {
  readonly ours: Work;
  readonly baseline: Work;
  /** Measured rounds; default 7. */
  readonly rounds?: number;
  /** Rounds before, that are not counted: compilers and caches warm up; default 1. */
  readonly warmUp?: number;
}

/** Measurements of both sides, a pair a round. */
export interface Compared {
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
}

/**
 * Measures two ways to do the same thing in turns, so that what else the machine does meets both alike; who begins
 * changes with each round.
 */
export async function measureInTurns({ ours, baseline, rounds = 7, warmUp = 1 }: Comparison): Promise<Compared> {
  const measured = { ours: [] as number[], baseline: [] as number[] };
  for (let round = -warmUp; round < rounds; round++) {
    const order = round % 2 === 0 ? (["ours", "baseline"] as const) : (["baseline", "ours"] as const);
    for (const side of order) {
      const value = await (side === "ours" ? ours : baseline)();
      if (round >= 0) measured[side].push(value);
    }
  }
  return measured;
}

/** How much faster we are, a ratio a round: of times the baseline's by ours. */
export function ratiosOfTimes({ ours, baseline }: Compared): number[] {
  return ours.map((time, round) => baseline[round]! / time);
}

/** How much faster we are, a ratio a round: of rates ours by the baseline's. */
export function ratiosOfRates({ ours, baseline }: Compared): number[] {
  return ours.map((rate, round) => rate / baseline[round]!);
}

/** Time that the work takes, in ms. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
