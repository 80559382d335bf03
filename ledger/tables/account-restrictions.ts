import {
  ACCOUNT_RESTRICTIONS_CODEC,
  type AccountRestrictionsState,
  RESTRICTION_FLAG,
} from "../../catapult/state/account-restriction.js";
import type { Journal } from "../trees/journal.js";
import { itemIn, type Order, SortedList, withItem, withoutItem } from "../trees/sorted-list.js";
import { bytesOfMapKey, mapKey, StateTable } from "../trees/state-table.js";

/** A list of values that an account allows or blocks. */
export interface RestrictionList {
  /** Bits of `RESTRICTION_FLAG`. */
  readonly flags: number;
  /** The bytes of addresses, mosaic ids or transaction types. */
  readonly values: SortedList<Buffer, Buffer>;
}

/** The lists of an account, one for each of its kinds, in the order of the flags without the `block` bit. */
export interface RestrictionLists {
  readonly address: Buffer;
  readonly restrictions: readonly RestrictionList[];
}

const BY_BYTES: Order<Buffer, Buffer> = { keyOf: (value) => value, compare: Buffer.compare };
const NO_VALUES = SortedList.of(BY_BYTES, []);

/** The account restrictions of the chain. Empty lists, and accounts without lists, are removed. */
export class AccountRestrictionEntries {
  readonly table: StateTable<string, RestrictionLists>;
  /** The address whose lists were looked up last: each value of a change asks for them. It is never modified. */
  #lastAddress: Buffer | undefined;
  #lastKey = "";

  constructor(journal: Journal, parent?: AccountRestrictionEntries) {
    this.table = new StateTable(journal, { keyBytes: bytesOfMapKey, serialize: serializeLists }, parent?.table);
  }

  /** Whether an account has any list. */
  has(address: Buffer): boolean {
    return this.table.has(this.#keyOf(address));
  }

  /** The list of an account for `flags` (the `block` bit is ignored), if it has one. */
  get(address: Buffer, flags: number): RestrictionList | undefined {
    return listOf(this.table.get(this.#keyOf(address)), flags);
  }

  /** Adds the lists of an account that exist after block `height`. */
  load({ address, restrictions }: AccountRestrictionsState, height: number): void {
    const lists = restrictions.map(({ flags, values }) => ({ flags, values: SortedList.of(BY_BYTES, values) }));
    this.table.load(mapKey(address), { address, restrictions: lists }, height);
  }

  /** Adds a value to a list or removes it. */
  modify(address: Buffer, flags: number, value: Buffer, isAddition: boolean): void {
    const key = this.#keyOf(address);
    const lists = this.table.get(key);
    const values = listOf(lists, flags)?.values ?? NO_VALUES;
    const changed = isAddition ? values.with(value) : values.without(value);
    const others = lists?.restrictions ?? [];
    const restrictions =
      changed.length > 0
        ? withItem(others, { flags, values: changed }, BY_DIRECTION)
        : withoutItem(others, directionOf(flags), BY_DIRECTION);
    if (restrictions.length > 0) this.table.set(key, { address, restrictions });
    else this.table.delete(key);
  }

  #keyOf(address: Buffer): string {
    if (address !== this.#lastAddress) {
      this.#lastKey = mapKey(address);
      this.#lastAddress = address;
    }
    return this.#lastKey;
  }
}

const BY_DIRECTION: Order<number, RestrictionList> = {
  keyOf: ({ flags }) => directionOf(flags),
  compare: (left, right) => left - right,
};

function listOf(lists: RestrictionLists | undefined, flags: number): RestrictionList | undefined {
  return lists && itemIn(lists.restrictions, directionOf(flags), BY_DIRECTION);
}

function directionOf(flags: number): number {
  return flags & ~RESTRICTION_FLAG.block;
}

function serializeLists({ address, restrictions }: RestrictionLists): Buffer {
  const lists = restrictions.map(({ flags, values }) => ({ flags, values: [...values] }));
  return ACCOUNT_RESTRICTIONS_CODEC.encode({ address, restrictions: lists });
}
