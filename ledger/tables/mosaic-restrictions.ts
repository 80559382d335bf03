import { mosaicRestrictionCompositeHash } from "../../catapult/state/composite-hash.js";
import { ByteWriter } from "../trees/byte-writer.js";
import type { Journal } from "../trees/journal.js";
import { ascending, bytesOfMapKey, mapKey, StateTable } from "../trees/state-table.js";

/** Comparisons of an account's value with a rule's. */
export const RestrictionType = { none: 0, eq: 1, ne: 2, lt: 3, le: 4, gt: 5, ge: 6 } as const;

/** The value that removes an address restriction. */
export const REMOVED_VALUE = 0xffff_ffff_ffff_ffffn;

/** The condition for accounts to own a mosaic. */
export interface RestrictionRule {
  /** The mosaic whose address restrictions count; 0 means the restricted mosaic itself. */
  readonly referenceMosaicId: bigint;
  readonly value: bigint;
  readonly type: number;
}

/** The state of a mosaic's restrictions, by their keys: its rules, or the values of one account. */
export type MosaicRestriction =
  | { readonly kind: "global"; readonly mosaicId: bigint; readonly rules: ReadonlyMap<bigint, RestrictionRule> }
  | {
      readonly kind: "address";
      readonly mosaicId: bigint;
      readonly address: Buffer;
      readonly values: ReadonlyMap<bigint, bigint>;
    };

const MAX_KNOWN_KEYS = 4_096;

/** The mosaic restrictions of the chain. Entries without rules or values are removed. */
export class MosaicRestrictions {
  readonly table: StateTable<string, MosaicRestriction>;
  /** Map keys of rules, by mosaic: every transfer asks for those of its mosaics, and they are hashes. */
  readonly #ruleKeys = new Map<bigint, string>();

  constructor(journal: Journal, parent?: MosaicRestrictions) {
    this.table = new StateTable(journal, { keyBytes: bytesOfMapKey, serialize: serializeRestriction }, parent?.table);
  }

  rules(mosaicId: bigint): ReadonlyMap<bigint, RestrictionRule> | undefined {
    const entry = this.table.get(this.#ruleKey(mosaicId));
    return entry?.kind === "global" ? entry.rules : undefined;
  }

  values(mosaicId: bigint, address: Buffer): ReadonlyMap<bigint, bigint> | undefined {
    const entry = this.table.get(mapKey(mosaicRestrictionCompositeHash(mosaicId, address)));
    return entry?.kind === "address" ? entry.values : undefined;
  }

  /** Sets a rule; one of type `none` removes it. */
  setRule(mosaicId: bigint, key: bigint, rule: RestrictionRule): void {
    const rules = new Map(this.rules(mosaicId));
    if (rule.type === RestrictionType.none) rules.delete(key);
    else rules.set(key, rule);
    this.#put(mosaicRestrictionCompositeHash(mosaicId), { kind: "global", mosaicId, rules }, rules.size);
  }

  /** Sets the value of an account; `REMOVED_VALUE` removes it. */
  setValue(mosaicId: bigint, address: Buffer, key: bigint, value: bigint): void {
    const values = new Map(this.values(mosaicId, address));
    if (value === REMOVED_VALUE) values.delete(key);
    else values.set(key, value);
    this.#put(
      mosaicRestrictionCompositeHash(mosaicId, address),
      { kind: "address", mosaicId, address, values },
      values.size,
    );
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

  #put(id: Buffer, entry: MosaicRestriction, size: number): void {
    if (size) this.table.set(mapKey(id), entry);
    else this.table.delete(mapKey(id));
  }
}

function serializeRestriction(entry: MosaicRestriction): Buffer {
  const writer = new ByteWriter(128).uint16(1);
  if (entry.kind === "address") {
    writer.uint8(0).uint64(entry.mosaicId).bytes(entry.address).uint8(entry.values.size);
    for (const [key, value] of byKey(entry.values)) writer.uint64(key).uint64(value);
  } else {
    writer.uint8(1).uint64(entry.mosaicId).uint8(entry.rules.size);
    for (const [key, rule] of byKey(entry.rules)) {
      writer.uint64(key).uint64(rule.referenceMosaicId).uint64(rule.value).uint8(rule.type);
    }
  }
  return writer.toBuffer();
}

function byKey<V>(values: ReadonlyMap<bigint, V>): readonly (readonly [bigint, V])[] {
  return [...values].sort(([left], [right]) => ascending(left, right));
}
