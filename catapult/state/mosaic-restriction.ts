import type { MosaicRestrictionBody } from "../body/mosaic-restriction.js";
import { hex } from "../entity/hex.js";
import { decimalText, idText } from "../json/format.js";
import { mosaicRestrictionCompositeHash } from "./composite-hash.js";
import { type StateReader, stateDecoder } from "./state-reader.js";

/** The owner of a restriction entry: a mosaic or an account. */
export const MOSAIC_RESTRICTION_ENTRY = { address: 0, global: 1 } as const;

/** The condition that an account's value for a key has to meet. */
export interface MosaicRestrictionRule {
  readonly key: bigint;
  /** The mosaic whose values count; 0 means the restricted mosaic itself. */
  readonly referenceMosaicId: bigint;
  readonly value: bigint;
  /** 0 none, 1 =, 2 ≠, 3 <, 4 ≤, 5 >, 6 ≥. */
  readonly type: number;
}

/** The rules of a mosaic, or the values of an account for a mosaic; keys ascend. */
export type MosaicRestrictionState =
  | {
      readonly entryType: typeof MOSAIC_RESTRICTION_ENTRY.address;
      readonly mosaicId: bigint;
      readonly targetAddress: Buffer;
      readonly values: readonly { readonly key: bigint; readonly value: bigint }[];
    }
  | {
      readonly entryType: typeof MOSAIC_RESTRICTION_ENTRY.global;
      readonly mosaicId: bigint;
      readonly rules: readonly MosaicRestrictionRule[];
    };

const VALUE_SIZE = 16;
const RULE_SIZE = 25;
const LAST_RULE_TYPE = 6;

function readEntry(reader: StateReader): MosaicRestrictionState {
  const isGlobal = reader.enumeration(MOSAIC_RESTRICTION_ENTRY.global, "entryType") === MOSAIC_RESTRICTION_ENTRY.global;
  const mosaicId = reader.uint64("mosaicId");
  if (isGlobal) {
    const rules = reader.list(reader.uint8("rulesCount"), RULE_SIZE, "rules", (path) => ({
      key: reader.uint64(`${path}.key`),
      referenceMosaicId: reader.uint64(`${path}.referenceMosaicId`),
      value: reader.uint64(`${path}.value`),
      type: reader.enumeration(LAST_RULE_TYPE, `${path}.type`),
    }));
    return { entryType: MOSAIC_RESTRICTION_ENTRY.global, mosaicId, rules };
  }
  const targetAddress = reader.address("targetAddress");
  const values = reader.list(reader.uint8("valuesCount"), VALUE_SIZE, "values", (path) => ({
    key: reader.uint64(`${path}.key`),
    value: reader.uint64(`${path}.value`),
  }));
  return { entryType: MOSAIC_RESTRICTION_ENTRY.address, mosaicId, targetAddress, values };
}

/** Decodes the state value of a mosaic restriction. Source: catapult's `MosaicRestrictionEntrySerializer`. */
export const decodeMosaicRestriction = stateDecoder("mosaicRestriction", readEntry);

/** The account of a restriction; undefined for the rules of the mosaic. */
export function targetOf(restriction: MosaicRestrictionState): Buffer | undefined {
  return restriction.entryType === MOSAIC_RESTRICTION_ENTRY.address ? restriction.targetAddress : undefined;
}

function entryFields(restriction: MosaicRestrictionState): MosaicRestrictionBody["mosaicRestrictionEntry"] {
  const { mosaicId } = restriction;
  const target = targetOf(restriction);
  const common = { version: 1, compositeHash: hex(mosaicRestrictionCompositeHash(mosaicId, target)) };
  if (restriction.entryType === MOSAIC_RESTRICTION_ENTRY.address) {
    return {
      ...common,
      entryType: restriction.entryType,
      mosaicId: idText(mosaicId),
      targetAddress: hex(restriction.targetAddress),
      restrictions: restriction.values.map(({ key, value }) => ({ key: decimalText(key), value: decimalText(value) })),
    };
  }
  return {
    ...common,
    entryType: restriction.entryType,
    mosaicId: idText(mosaicId),
    restrictions: restriction.rules.map(({ key, referenceMosaicId, value, type }) => ({
      key: decimalText(key),
      restriction: {
        referenceMosaicId: idText(referenceMosaicId),
        restrictionValue: decimalText(value),
        restrictionType: type,
      },
    })),
  };
}

/** The REST body of a mosaic restriction (`MosaicRestrictionDTO`); `id` is 24 hex digits. */
export function renderMosaicRestriction(restriction: MosaicRestrictionState, id: string): string {
  const body = { id, mosaicRestrictionEntry: entryFields(restriction) } as MosaicRestrictionBody;
  return JSON.stringify(body);
}
