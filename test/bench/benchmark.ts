/** The goal of a figure, in its unit. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** One thing that was measured, several times. */
export interface Figure {
  /** Complete by itself: "messages per second, gateway / bare ws loop". */
  readonly what: string;
  /** Every measurement; the median counts. */
  readonly samples: readonly number[];
  /** `ratio` is the quotient of two measurements of one run, so it does not depend on the machine. */
  readonly unit: "ratio" | "ms" | "MiB" | "per second" | "bytes" | "%" | "";
  /** A figure without a target is only shown. */
  readonly target?: Target;
  /** The subject that was measured: figures with the same `what` share a row, with one column per subject. */
  readonly column?: string;
}

/** A benchmark. It runs in its own process, with a PostgreSQL server at `TEST_POSTGRES_URL`. */
export interface Benchmark {
  /** Name on the command line, and of the file. */
  readonly name: string;
  readonly title: string;
  /** What is measured, compared with what, and why: Markdown. */
  readonly about: string;
  /**
   * First verifies the answers, then measures.
   * @param say prints a line of progress
   * @throws Error when an answer is wrong, or the measurement failed
   */
  run(say: (line: string) => void): Promise<readonly Figure[]>;
}

/** Whether the median meets the target; true if there is none. */
export function isReached({ samples, target }: Figure): boolean {
  if (!target) return true;
  const value = median(samples);
  return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}

/** The middle value, or the mean of the two in the middle. @throws RangeError when there is none */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The value that a part (0 to 1) of the samples does not exceed, interpolated between two samples. */
export function quantile(samples: readonly number[], part: number): number {
  if (samples.length === 0) throw new RangeError("There is no sample");
  const sorted = [...samples].sort((a, b) => a - b);
  const place = part * (sorted.length - 1);
  const low = sorted[Math.floor(place)]!;
  const high = sorted[Math.ceil(place)]!;
  return low + (high - low) * (place - Math.floor(place));
}
