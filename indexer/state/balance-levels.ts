import { balanceLevel } from "../../database/balances/account-balances.js";
import type { Db } from "../../database/database.js";
import { type CountChange, type CountTable, changeCounts } from "./count-table.js";

const LEVELS: CountTable = {
  table: "balance_levels",
  keyColumns: [
    ["mosaic_id", "bytea"],
    ["level", "numeric"],
  ],
};

/** Changes of the number of accounts per balance level of a mosaic. */
export class LevelChanges {
  readonly #changes = new Map<string, CountChange>();

  /** An account's balance changed from `before` to `after` (atomic units); undefined means none. */
  add(mosaicId: Buffer, before: bigint | undefined, after: bigint | undefined): void {
    if (before !== undefined) this.#add(mosaicId, balanceLevel(before), -1);
    if (after !== undefined) this.#add(mosaicId, balanceLevel(after), 1);
  }

  /**
   * Writes the sums.
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
