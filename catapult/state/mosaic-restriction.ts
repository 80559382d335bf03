import { z } from "zod";
import { hex } from "../entity/hex.js";
import * as form from "../values/forms.js";
import { member } from "../values/forms.js";
import { MosaicRestrictionTypeEnum } from "../values/scalars.js";
import { mosaicRestrictionCompositeHash } from "./composite-hash.js";
import * as part from "./noun.js";
import {
  bodyOf,
  type Codec,
  codecOf,
  count8,
  list,
  membersOf,
  record,
  type ShownPart,
  type ValuesOf,
  WITH_ID,
} from "./noun.js";

/** The owner of a restriction entry: a mosaic or an account. */
export const MOSAIC_RESTRICTION_ENTRY = { address: 0, global: 1 } as const;

/** The first parts of an entry of one type. */
const entryOf = <Type extends 0 | 1>(type: Type) => ({
  entryType: member(
    { ...part.choice(type, z.literal(type)), schema: z.literal(type) } as unknown as ShownPart<Type, Type>,
    "0 values of an account, 1 rules of the mosaic.",
  ),
  mosaicId: member(part.mosaicId, "Id of the mosaic."),
});

const key = member(part.decimal, "Key of the restriction.");
const VALUE = { id: "MosaicAddressRestrictionEntryDTO", size: 16 };
const RULE = { id: "MosaicGlobalRestrictionEntryDTO", size: 25 };

const VALUES = {
  ...entryOf(MOSAIC_RESTRICTION_ENTRY.address),
  targetAddress: member(part.address, "Address of the account."),
  restrictions: member(
    list(record({ id: VALUE.id }, { key, value: member(part.decimal, "Value of the account.") }), VALUE.size, count8),
    "Values of the account, by key.",
  ),
} as const;

const RULE_PARTS = {
  referenceMosaicId: member(part.mosaicId, "Mosaic whose values are compared; 0 for the mosaic itself."),
  restrictionValue: member(part.decimal, "Value that an account's value is compared with."),
  restrictionType: member(
    part.choice(6, MosaicRestrictionTypeEnum),
    "Comparison that an account's value has to satisfy.",
  ),
} as const;
const rule = record({ id: "MosaicGlobalRestrictionEntryRestrictionDTO" }, RULE_PARTS);

/** The condition for accounts to own a mosaic. */
export type RestrictionRule = ValuesOf<typeof RULE_PARTS>;

const RULES = {
  ...entryOf(MOSAIC_RESTRICTION_ENTRY.global),
  restrictions: member(
    list(
      record(
        { id: RULE.id },
        { key, restriction: member(rule, "Rule that the value of an account is checked against.") },
      ),
      RULE.size,
      count8,
    ),
    "Rules of the mosaic, by key.",
  ),
} as const;

/** The values of an account for a mosaic. */
export type MosaicValues = ValuesOf<typeof VALUES>;
/** The rules of a mosaic. */
export type MosaicRules = ValuesOf<typeof RULES>;
/** One or the other; keys ascend. */
export type MosaicRestrictionState = MosaicValues | MosaicRules;

const VALUES_CODEC = codecOf("mosaicRestriction", VALUES);
const RULES_CODEC = codecOf("mosaicRestriction", RULES);
const ENTRY_TYPE_OFFSET = 2;

/** The state value of a mosaic restriction. Source: catapult's `MosaicRestrictionEntrySerializer`. */
export const MOSAIC_RESTRICTION_CODEC: Codec<MosaicRestrictionState> = {
  decode: (value) =>
    value[ENTRY_TYPE_OFFSET] === MOSAIC_RESTRICTION_ENTRY.address
      ? VALUES_CODEC.decode(value)
      : RULES_CODEC.decode(value),
  encode: (state) =>
    state.entryType === MOSAIC_RESTRICTION_ENTRY.address ? VALUES_CODEC.encode(state) : RULES_CODEC.encode(state),
};

/** The account of a restriction; undefined for the rules of the mosaic. */
export function targetOf(restriction: MosaicRestrictionState): Buffer | undefined {
  return restriction.entryType === MOSAIC_RESTRICTION_ENTRY.address ? restriction.targetAddress : undefined;
}

const MEMBER = { member: "mosaicRestrictionEntry", beside: WITH_ID } as const;
const compositeHash = {
  ...member(form.hash, "Composite hash of mosaic and account, by which it is found."),
  from: (state: MosaicRestrictionState) => hex(mosaicRestrictionCompositeHash(state.mosaicId, targetOf(state))),
};

const VALUES_BODY = bodyOf(
  {
    id: "MosaicAddressRestrictionDTO",
    description: "Values of an account for the rules of a mosaic.",
    stateId: "MosaicAddressRestrictionEntryWrapperDTO",
    ...MEMBER,
  },
  { compositeHash, ...membersOf(VALUES) },
);
const RULES_BODY = bodyOf(
  {
    id: "MosaicGlobalRestrictionDTO",
    description: "Rules of a mosaic.",
    stateId: "MosaicGlobalRestrictionEntryWrapperDTO",
    ...MEMBER,
  },
  { compositeHash, ...membersOf(RULES) },
);

/** The REST body of a mosaic restriction. */
export const MOSAIC_RESTRICTION_BODY = {
  schema: z
    .union([VALUES_BODY.schema, RULES_BODY.schema])
    .meta({ id: "MosaicRestrictionDTO", description: "Rules of a mosaic, or values of an account for them." }),
  /** What GraphQL shows of both. */
  shown: [VALUES_BODY.shown, RULES_BODY.shown],
  render: (state: MosaicRestrictionState, values: object): string =>
    state.entryType === MOSAIC_RESTRICTION_ENTRY.address
      ? VALUES_BODY.render(state, values)
      : RULES_BODY.render(state, values),
};
