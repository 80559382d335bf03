import { serviceUnavailable } from "../../../schema/errors/errors.js";
import { query } from "./argument.js";
import { height, isoTime } from "./argument-types.js";
import type { ReadRows } from "./route.js";

/** Arguments that bound an export. */
export const rangeArguments = {
  fromHeight: query(height, "Blocks at this height or above."),
  toHeight: query(height, "Blocks at this height or below."),
  fromTime: query(isoTime, "Blocks at this time or later: a date or time of ISO 8601, in UTC unless it names a zone."),
  toTime: query(isoTime, "Blocks before this time."),
};

/** Operations of {@link ExportRange}. */
export const rangeOperations = {
  range: `query ($fromHeight: SafeInt, $toHeight: SafeInt, $fromTime: Time, $toTime: Time) {
    range: heightRange(fromHeight: $fromHeight, toHeight: $toHeight, fromTime: $fromTime, toTime: $toTime) {
      fromHeight toHeight hash epochAdjustment
    }
  }`,
};

interface Range {
  readonly fromHeight: number;
  /** The last height, below `fromHeight` if there is no block. */
  readonly toHeight: number;
  readonly hash: string;
  readonly epochAdjustment: number;
}

/** The heights of one export: rows are read page by page, so the chain must not change meanwhile. */
export class ExportRange {
  readonly fromHeight: number;
  readonly toHeight: number;
  readonly #range: Range;
  readonly #ask: ReadRows;

  private constructor(range: Range, ask: ReadRows) {
    this.fromHeight = range.fromHeight;
    this.toHeight = range.toHeight;
    this.#range = range;
    this.#ask = ask;
  }

  /** The range that the arguments bound, up to the current head. */
  static async find(ask: ReadRows, { fromHeight, toHeight, fromTime, toTime }: Record<string, unknown>) {
    const { range } = (await ask("range", { fromHeight, toHeight, fromTime, toTime })) as { range: Range };
    return new ExportRange(range, ask);
  }

  get isEmpty(): boolean {
    return this.toHeight < this.fromHeight;
  }

  /** A block's timestamp in ISO 8601. */
  formatTime(timestamp: number): string {
    return new Date(this.#range.epochAdjustment + timestamp).toISOString();
  }

  /**
   * Called at the end: a file with rows of two branches must not look complete.
   * @throws ApiError ServiceUnavailable when the chain has switched branch below the end of the range
   */
  async verify(): Promise<void> {
    if (this.isEmpty) return;
    const { range } = (await this.#ask("range", { toHeight: this.toHeight })) as { range: Range };
    if (range.hash === this.#range.hash) return;
    throw serviceUnavailable("the chain switched branch during the export: request it again");
  }
}
