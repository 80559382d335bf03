import { RESTRICTION_FLAG } from "../../catapult/state/account-restriction.js";
import { ByteWriter } from "../trees/byte-writer.js";
import type { Journal } from "../trees/journal.js";
import { bytesOfMapKey, mapKey, StateTable } from "../trees/state-table.js";

/** One list of an account: all values except these are allowed (`isBlock`), or only these. */
export interface AccountRestriction {
  readonly isBlock: boolean;
  /** Addresses, mosaic ids or transaction types in serialized form, sorted. */
  readonly values: readonly Buffer[];
}

/** The state of an account's restrictions, by their flags without the `block` bit. */
export interface AccountRestrictions {
  readonly address: Buffer;
  readonly lists: ReadonlyMap<number, AccountRestriction>;
}

/** The account restrictions of the chain. Empty lists, and accounts without lists, are removed. */
export class AccountRestrictionEntries {
  readonly table: StateTable<string, AccountRestrictions>;

  constructor(journal: Journal, parent?: AccountRestrictionEntries) {
    this.table = new StateTable(journal, { keyBytes: bytesOfMapKey, serialize: serializeRestrictions }, parent?.table);
  }

  /** The list of an account for `flags` (the `block` bit is ignored), if it has one. */
  get(address: Buffer, flags: number): AccountRestriction | undefined {
    return this.table.get(mapKey(address))?.lists.get(directionOf(flags));
  }

  /** Adds a value to a list or removes it. */
  modify(address: Buffer, flags: number, value: Buffer, isAddition: boolean): void {
    const key = mapKey(address);
    const lists = new Map(this.table.get(key)?.lists);
    const values = (lists.get(directionOf(flags))?.values ?? []).filter((other) => !other.equals(value));
    if (isAddition) values.push(value);
    values.sort(Buffer.compare);
    if (values.length) lists.set(directionOf(flags), { isBlock: (flags & RESTRICTION_FLAG.block) !== 0, values });
    else lists.delete(directionOf(flags));

    if (lists.size) this.table.set(key, { address, lists });
    else this.table.delete(key);
  }
}

function directionOf(flags: number): number {
  return flags & ~RESTRICTION_FLAG.block;
}

function serializeRestrictions({ address, lists }: AccountRestrictions): Buffer {
  const writer = new ByteWriter(256).uint16(1).bytes(address).uint64(lists.size);
  for (const [flags, list] of [...lists].sort(([left], [right]) => left - right)) {
    writer.uint16(list.isBlock ? flags | RESTRICTION_FLAG.block : flags).uint64(list.values.length);
    for (const value of list.values) writer.bytes(value);
  }
  return writer.toBuffer();
}
