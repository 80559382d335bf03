/** What a figure must be, in its unit. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** One thing that was measured, several times. */
export interface Figure {
  /** To follow nothing: "messages a second, against a bare ws loop". */
  readonly what: string;
  /** Every measurement; the median is what counts. */
  readonly samples: readonly number[];
  /** `ratio` is a quotient of two measurements of one run, so it does not depend on the machine. */
  readonly unit: "ratio" | "ms" | "MiB" | "per second" | "bytes" | "%" | "";
  /** A figure without a target is shown, and nothing more. */
  readonly target?: Target;
  /** Of which of several it was measured: such figures of the same thing stand in one row, with a column for each. */
  readonly column?: string;
}

/** A benchmark. It runs in a process of its own, with a PostgreSQL server at `TEST_POSTGRES_URL`. */
export interface Benchmark {
  /** Its word on the command line; the file's name too. */
  readonly name: string;
  readonly title: string;
  /** What is done, against what, and why: text in Markdown, a sentence a line of its own or not. */
  readonly about: string;
  /**
   * First checks that the answers are right, then measures.
   * @param say shows progress, a line
   * @throws Error when an answer is wrong, or it could not be measured
   */
  run(say: (line: string) => void): Promise<readonly Figure[]>;
  /** What follows from the figures, in Markdown. */
  readonly conclude?: (figures: readonly Figure[]) => string;
}

/** Whether the median is what it must be; true where nothing is asked. */
export function isReached({ samples, target }: Figure): boolean {
  if (!target) return true;
  const value = median(samples);
  return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}

/** The middle one, or the mean of the two in the middle. @throws RangeError when there are none */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The value that a part (0 to 1) of the samples does not exceed; between two samples in proportion. */
export function quantile(samples: readonly number[], part: number): number {
  if (samples.length === 0) throw new RangeError("There is no sample");
  const sorted = [...samples].sort((a, b) => a - b);
  const place = part * (sorted.length - 1);
  const low = sorted[Math.floor(place)]!;
  const high = sorted[Math.ceil(place)]!;
  return low + (high - low) * (place - Math.floor(place));
}
