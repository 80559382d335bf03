import {
  ACCOUNT_RESTRICTIONS_CODEC,
  type AccountRestriction,
  type AccountRestrictionsState,
  RESTRICTION_FLAG,
} from "../../catapult/state/account-restriction.js";
import type { Journal } from "../trees/journal.js";
import { bytesOfMapKey, mapKey, StateTable } from "../trees/state-table.js";

/** The account restrictions of the chain. Empty lists, and accounts without lists, are removed. */
export class AccountRestrictionEntries {
  readonly table: StateTable<string, AccountRestrictionsState>;

  constructor(journal: Journal, parent?: AccountRestrictionEntries) {
    this.table = new StateTable(
      journal,
      { keyBytes: bytesOfMapKey, serialize: ACCOUNT_RESTRICTIONS_CODEC.encode },
      parent?.table,
    );
  }

  /** The list of an account for `flags` (the `block` bit is ignored), if it has one. */
  get(address: Buffer, flags: number): AccountRestriction | undefined {
    return this.table.get(mapKey(address))?.restrictions.find((list) => directionOf(list.flags) === directionOf(flags));
  }

  /** Adds a value to a list or removes it. */
  modify(address: Buffer, flags: number, value: Buffer, isAddition: boolean): void {
    const key = mapKey(address);
    const values = (this.get(address, flags)?.values ?? []).filter((other) => !other.equals(value));
    if (isAddition) values.push(value);
    values.sort(Buffer.compare);
    const lists = this.table.get(key)?.restrictions ?? [];
    const restrictions = lists.filter((list) => directionOf(list.flags) !== directionOf(flags));
    if (values.length > 0) restrictions.push({ flags, values });
    restrictions.sort((left, right) => directionOf(left.flags) - directionOf(right.flags));

    if (restrictions.length > 0) this.table.set(key, { address, restrictions });
    else this.table.delete(key);
  }
}

function directionOf(flags: number): number {
  return flags & ~RESTRICTION_FLAG.block;
}
