/** A place in the database that is not what it should be. */
export interface Difference {
  readonly table: string;
  /** Which row: columns and their values, as `height=12`. */
  readonly key: string;
  /** Absent when the whole row is meant. */
  readonly column?: string | undefined;
  /** What is wrong, to follow table, key and column. */
  readonly problem: string;
}

/** There are so many differences that going on makes no sense. */
export class TooManyDifferencesError extends Error {
  override readonly name = "TooManyDifferencesError";
}

/** Takes differences and counts what was looked at. */
export class Findings {
  readonly #report: (difference: Difference) => void;
  readonly #most: number;
  readonly #checked = new Map<string, number>();
  #differences = 0;

  /** @param most after so many differences the check ends */
  constructor(report: (difference: Difference) => void, most: number) {
    this.#report = report;
    this.#most = most;
  }

  get differences(): number {
    return this.#differences;
  }

  /** How many of what was looked at. */
  get checked(): ReadonlyMap<string, number> {
    return this.#checked;
  }

  /** @throws TooManyDifferencesError */
  add(difference: Difference): void {
    this.#differences += 1;
    this.#report(difference);
    if (this.#differences >= this.#most) {
      throw new TooManyDifferencesError(`${this.#differences} differences were found, and the check ended there`);
    }
  }

  /** Notes that `count` more of `what` (in the plural) were looked at. */
  looked(what: string, count: number): void {
    this.#checked.set(what, (this.#checked.get(what) ?? 0) + count);
  }
}

/** A difference as a line of text. */
export function describeDifference({ table, key, column, problem }: Difference): string {
  return `${table} ${key}${column === undefined ? "" : ` ${column}`}: ${problem}`;
}
