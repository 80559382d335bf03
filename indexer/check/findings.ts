/** A wrong value or row in the database. */
export interface Difference {
  readonly table: string;
  /** Identifies the row: columns and their values, such as `height=12`. */
  readonly key: string;
  /** Absent if the whole row is meant. */
  readonly column?: string | undefined;
  /** What is wrong, to follow table, key and column. */
  readonly problem: string;
}

export class TooManyDifferencesError extends Error {
  override readonly name = "TooManyDifferencesError";
}

/** Collects differences and counts what was checked. */
export class Findings {
  readonly #report: (difference: Difference) => void;
  readonly #max: number;
  /** Number of checked things by kind. */
  readonly checked = new Map<string, number>();
  differences = 0;
  /** Number of blocks that votes prove, with other receipts than those of their headers. */
  otherReceipts = 0;

  /** @param max number of differences after which the check ends */
  constructor(report: (difference: Difference) => void, max: number) {
    this.#report = report;
    this.#max = max;
  }

  /** @throws TooManyDifferencesError */
  add(difference: Difference): void {
    this.differences += 1;
    this.#report(difference);
    if (this.differences >= this.#max) {
      throw new TooManyDifferencesError(`${this.differences} differences were found, and the check ended there`);
    }
  }

  /** Records that `count` more of `what` (in the plural) were checked. */
  countChecked(what: string, count: number): void {
    this.checked.set(what, (this.checked.get(what) ?? 0) + count);
  }
}

export function describeDifference({ table, key, column, problem }: Difference): string {
  return `${table} ${key}${column === undefined ? "" : ` ${column}`}: ${problem}`;
}

/** Heights of blocks, inclusive. */
export interface HeightRange {
  readonly from: number;
  readonly to: number;
}
