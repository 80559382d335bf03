/** Does the work once and returns its duration or its rate; the same measure on both sides. */
export type Work = () => Promise<number>;

export interface Comparison {
  readonly ours: Work;
  readonly baseline: Work;
  /** Measured rounds; default 7. */
  readonly rounds?: number;
  /** Rounds before the measured ones, in which compilers and caches warm up; default 1. */
  readonly warmUp?: number;
}

/** Measurements of both sides, one pair per round. */
export interface Compared {
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
}

/**
 * Measures two implementations in turns, so that other work of the machine affects both alike; the order
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

/** How much faster we are, per round: the baseline's time divided by ours. */
export function ratiosOfTimes({ ours, baseline }: Compared): number[] {
  return ours.map((time, round) => baseline[round]! / time);
}

/** How much faster we are, per round: our rate divided by the baseline's. */
export function ratiosOfRates({ ours, baseline }: Compared): number[] {
  return ours.map((rate, round) => rate / baseline[round]!);
}

/** Duration of the work, in ms. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
