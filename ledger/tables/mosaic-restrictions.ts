import { mosaicRestrictionCompositeHash } from "../../catapult/state/composite-hash.js";
import { keyOfState } from "../../catapult/state/key.js";
import {
  MOSAIC_RESTRICTION_CODEC,
  MOSAIC_RESTRICTION_ENTRY,
  type MosaicRestrictionState,
  type MosaicRules,
  type MosaicValues,
  type RestrictionRule,
} from "../../catapult/state/mosaic-restriction.js";
import type { Journal } from "../trees/journal.js";
import { itemIn, type Order, withItem, withoutItem } from "../trees/sorted-list.js";
import { ascending, bytesOfMapKey, mapKey, StateTable } from "../trees/state-table.js";

/** Comparisons of an account's value with a rule's. */
export const RestrictionType = { none: 0, eq: 1, ne: 2, lt: 3, le: 4, gt: 5, ge: 6 } as const;

/** The value that removes an address restriction. */
export const REMOVED_VALUE = 0xffff_ffff_ffff_ffffn;

const MAX_KNOWN_KEYS = 16_384;

/** The mosaic restrictions of the chain. Entries without rules or values are removed. */
export class MosaicRestrictions {
  readonly table: StateTable<string, MosaicRestrictionState>;
  /** Map keys of rules, by mosaic: every transfer asks for those of its mosaics, and they are hashes. */
  readonly #ruleKeys = new Map<bigint, string>();
  /** Map keys of values, by mosaic and the map key of an address: a transfer may ask for 40 with each mosaic. */
  readonly #valueKeys = new Map<bigint, Map<string, string>>();
  #valueKeyCount = 0;
  /** The address that was asked for last, which is never modified. */
  #lastAddress: Buffer | undefined;
  #lastAddressKey = "";

  constructor(journal: Journal, parent?: MosaicRestrictions) {
    this.table = new StateTable(
      journal,
      { keyBytes: bytesOfMapKey, serialize: MOSAIC_RESTRICTION_CODEC.encode },
      parent?.table,
    );
  }

  rules(mosaicId: bigint): MosaicRules["restrictions"] | undefined {
    const entry = this.table.get(this.#ruleKey(mosaicId));
    return entry?.entryType === MOSAIC_RESTRICTION_ENTRY.global ? entry.restrictions : undefined;
  }

  values(mosaicId: bigint, address: Buffer): MosaicValues["restrictions"] | undefined {
    const entry = this.table.get(this.#valueKey(mosaicId, address));
    return entry?.entryType === MOSAIC_RESTRICTION_ENTRY.address ? entry.restrictions : undefined;
  }

  /** Sets a rule; one of type `none` removes it. */
  setRule(mosaicId: bigint, key: bigint, restriction: RestrictionRule): void {
    const isRemoval = restriction.restrictionType === RestrictionType.none;
    const restrictions = withEntry(this.rules(mosaicId) ?? [], key, isRemoval ? undefined : { key, restriction });
    this.#put({ entryType: MOSAIC_RESTRICTION_ENTRY.global, mosaicId, restrictions });
  }

  /** Sets the value of an account; `REMOVED_VALUE` removes it. */
  setValue(mosaicId: bigint, targetAddress: Buffer, key: bigint, value: bigint): void {
    const entry = value === REMOVED_VALUE ? undefined : { key, value };
    const restrictions = withEntry(this.values(mosaicId, targetAddress) ?? [], key, entry);
    this.#put({ entryType: MOSAIC_RESTRICTION_ENTRY.address, mosaicId, targetAddress, restrictions });
  }

  #ruleKey(mosaicId: bigint): string {
    let key = this.#ruleKeys.get(mosaicId);
    if (key === undefined) {
      key = mapKey(mosaicRestrictionCompositeHash(mosaicId));
      if (this.#ruleKeys.size >= MAX_KNOWN_KEYS) this.#ruleKeys.clear();
      this.#ruleKeys.set(mosaicId, key);
    }
    return key;
  }

  #valueKey(mosaicId: bigint, address: Buffer): string {
    if (address !== this.#lastAddress) {
      this.#lastAddress = address;
      this.#lastAddressKey = mapKey(address);
    }
    const addressKey = this.#lastAddressKey;
    let key = this.#valueKeys.get(mosaicId)?.get(addressKey);
    if (key === undefined) {
      key = mapKey(mosaicRestrictionCompositeHash(mosaicId, address));
      if (this.#valueKeyCount >= MAX_KNOWN_KEYS) {
        this.#valueKeys.clear();
        this.#valueKeyCount = 0;
      }
      const keys = this.#valueKeys.get(mosaicId) ?? new Map<string, string>();
      this.#valueKeys.set(mosaicId, keys.set(addressKey, key));
      this.#valueKeyCount += 1;
    }
    return key;
  }

  #put(entry: MosaicRestrictionState): void {
    const key = mapKey(keyOfState("mosaicRestriction", entry));
    if (entry.restrictions.length > 0) this.table.set(key, entry);
    else this.table.delete(key);
  }
}

/** Entries of rules or values, whose keys ascend. */
interface Keyed {
  readonly key: bigint;
}

const BY_KEY: Order<bigint, Keyed> = { keyOf: ({ key }) => key, compare: ascending };

/** The entry of a key. */
export function entryOfKey<T extends Keyed>(entries: readonly T[] | undefined, key: bigint): T | undefined {
  return entries && itemIn<bigint, T>(entries, key, BY_KEY);
}

/** The entries with another one of the key, or without any. */
function withEntry<T extends Keyed>(entries: readonly T[], key: bigint, entry: T | undefined): readonly T[] {
  return entry ? withItem<bigint, T>(entries, entry, BY_KEY) : withoutItem<bigint, T>(entries, key, BY_KEY);
}
