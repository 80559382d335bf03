import { BackfillRangeError } from "../step/errors.js";

/** The range of a backfill. Its end is the last block there is when it begins, unless another one is given. */
export class Goal {
  /** First height; by default the one after the index's. */
  readonly from: number | undefined;
  #to: number | undefined;
  #isChecked = false;

  constructor({ from, to }: { readonly from?: number | undefined; readonly to?: number | undefined }) {
    this.from = from;
    this.#to = to;
  }

  /** Last height; undefined before it is known. */
  get to(): number | undefined {
    return this.#isChecked ? this.#to : undefined;
  }

  /**
   * Lists number their entries in the order of the chain, so there can be no gap: the range must begin at most right after
   * the index, and existing blocks are kept.
   *
   * @param height of the index
   * @param available height of the source
   * @param source its name
   * @returns whether the index has the range
   * @throws BackfillRangeError when the range cannot be filled
   */
  isReached(height: number, available: number, source: string): boolean {
    const { from } = this;
    const to = this.#to ?? available;
    if (from !== undefined && from < 1)
      throw new BackfillRangeError(`The chain begins at height 1: --from must not be ${from}`);
    if (from !== undefined && from > to)
      throw new BackfillRangeError(`--from (${from}) must not be above --to (${to})`);
    if (from !== undefined && from > height + 1) {
      throw new BackfillRangeError(
        `The index is at height ${height}, and there can be no gap: --from must be at most ${height + 1}, not ${from}`,
      );
    }
    if (to > available)
      throw new BackfillRangeError(`${source}'s chain ends at height ${available}: --to must not be ${to}`);
    this.#to = to;
    this.#isChecked = true;
    return height >= to;
  }
}
