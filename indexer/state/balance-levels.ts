import type { Db } from "../../database/database.js";
import { balanceLevel } from "../../database/queries/account-balances.js";
import { type CountChange, type CountTable, changeCounts } from "./count-table.js";

const LEVELS: CountTable = {
  table: "balance_levels",
  keyColumns: [
    ["mosaic_id", "bytea"],
    ["level", "numeric"],
  ],
};

/** Accounts that came to levels of amounts of a mosaic, and went from them. */
export class LevelChanges {
  readonly #changes = new Map<string, CountChange>();

  /** An account has `after` of a mosaic (atomic units) instead of `before`; undefined is nothing at all. */
  add(mosaicId: Buffer, before: bigint | undefined, after: bigint | undefined): void {
    if (before !== undefined) this.#add(mosaicId, balanceLevel(before), -1);
    if (after !== undefined) this.#add(mosaicId, balanceLevel(after), 1);
  }

  /**
   * Applies what was added up.
   * @throws RangeError when a level would have less than no accounts
   */
  async write(trx: Db): Promise<void> {
    await changeCounts(trx, LEVELS, [...this.#changes.values()]);
  }

  #add(mosaicId: Buffer, level: bigint, change: number): void {
    const name = `${mosaicId.toString("hex")} ${level}`;
    this.#changes.set(name, { key: [mosaicId, level], change: (this.#changes.get(name)?.change ?? 0) + change });
  }
}
