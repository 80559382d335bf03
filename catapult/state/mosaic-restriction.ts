import { z } from "zod";
import { chosen, type Write } from "../values/body-writer.js";
import * as codec from "../values/codecs.js";
import { field, listCodec } from "../values/codecs.js";
import { makeStruct, type ValuesOf } from "../values/struct.js";
import { type StateCodec, type StateSource, stateBody, stateCodec } from "./state-codec.js";

/** The owner of a restriction entry: a mosaic or an account. */
export const MOSAIC_RESTRICTION_ENTRY = { address: 0, global: 1 } as const;

/** The first fields of an entry of one type. */
const entryOf = <Type extends 0 | 1>(type: Type) => ({
  entryType: field(codec.choice(type, z.literal(type)), "0 values of an account, 1 rules of the mosaic.", {
    column: "entry_type",
  }),
  mosaicId: field(codec.mosaicId, "Id of the mosaic.", { column: "mosaic_id" }),
});

const key = field(codec.decimal, "Key of the restriction.");
const restrictionsCount = codec.countCodec(codec.uint8);
const value = makeStruct(
  { id: "MosaicAddressRestrictionEntryDTO" },
  { key, value: field(codec.decimal, "Value of the account.") },
);

const VALUES_FIELDS = {
  ...entryOf(MOSAIC_RESTRICTION_ENTRY.address),
  targetAddress: field(codec.address, "Address of the account.", { column: "target_address" }),
  restrictionsCount,
  restrictions: field(listCodec(value, "restrictionsCount"), "Values of the account, by key."),
} as const;

const RULE_FIELDS = {
  referenceMosaicId: field(codec.mosaicId, "Mosaic whose values are compared; 0 for the mosaic itself."),
  restrictionValue: field(codec.decimal, "Value that an account's value is compared with."),
  restrictionType: field(codec.mosaicRestrictionType, "Comparison that an account's value has to satisfy."),
} as const;

/** The condition for accounts to own a mosaic. */
export type RestrictionRule = ValuesOf<typeof RULE_FIELDS>;

const rule = makeStruct(
  { id: "MosaicGlobalRestrictionEntryDTO" },
  {
    key,
    restriction: field(
      makeStruct({ id: "MosaicGlobalRestrictionEntryRestrictionDTO" }, RULE_FIELDS),
      "Rule that the value of an account is checked against.",
    ),
  },
);

const RULES_FIELDS = {
  ...entryOf(MOSAIC_RESTRICTION_ENTRY.global),
  restrictionsCount,
  restrictions: field(listCodec(rule, "restrictionsCount"), "Rules of the mosaic, by key."),
} as const;

/** The fields of both. */
export const MOSAIC_RESTRICTION_FIELDS = {
  ...RULES_FIELDS,
  ...VALUES_FIELDS,
  entryType: { ...RULES_FIELDS.entryType, ...codec.choice<number>(MOSAIC_RESTRICTION_ENTRY.global, z.int()) },
} as const;

/** The values of an account for a mosaic. */
export type MosaicValues = ValuesOf<typeof VALUES_FIELDS>;
/** The rules of a mosaic. */
export type MosaicRules = ValuesOf<typeof RULES_FIELDS>;
/** One or the other; keys ascend. */
export type MosaicRestrictionState = MosaicValues | MosaicRules;

const VALUES_CODEC = stateCodec("mosaicRestriction", VALUES_FIELDS);
const RULES_CODEC = stateCodec("mosaicRestriction", RULES_FIELDS);
const ENTRY_TYPE_OFFSET = 2;
const isOfAccount = (bytes: Buffer) => bytes[ENTRY_TYPE_OFFSET] === MOSAIC_RESTRICTION_ENTRY.address;

/** The state value of a mosaic restriction. Source: catapult's `MosaicRestrictionEntrySerializer`. */
export const MOSAIC_RESTRICTION_CODEC: StateCodec<MosaicRestrictionState> = {
  decode: (bytes) => (isOfAccount(bytes) ? VALUES_CODEC : RULES_CODEC).decode(bytes),
  encode: (state) =>
    state.entryType === MOSAIC_RESTRICTION_ENTRY.address ? VALUES_CODEC.encode(state) : RULES_CODEC.encode(state),
};

/** The account of a restriction; undefined for the rules of the mosaic. */
export function targetOf(restriction: MosaicRestrictionState): Buffer | undefined {
  return restriction.entryType === MOSAIC_RESTRICTION_ENTRY.address ? restriction.targetAddress : undefined;
}

const member = "mosaicRestrictionEntry";
const compositeHash = "Composite hash of mosaic and account, by which it is found.";

const VALUES_BODY = stateBody(
  {
    id: "MosaicAddressRestrictionDTO",
    description: "Values of an account for the rules of a mosaic.",
    stateId: "MosaicAddressRestrictionEntryWrapperDTO",
    member,
  },
  VALUES_FIELDS,
  { json: ["compositeHash", "entryType", "mosaicId", "targetAddress", "restrictions"], compositeHash },
);
const RULES_BODY = stateBody(
  {
    id: "MosaicGlobalRestrictionDTO",
    description: "Rules of a mosaic.",
    stateId: "MosaicGlobalRestrictionEntryWrapperDTO",
    member,
  },
  RULES_FIELDS,
  { json: ["compositeHash", "entryType", "mosaicId", "restrictions"], compositeHash },
);

type Body = z.infer<typeof VALUES_BODY.schema> | z.infer<typeof RULES_BODY.schema>;

/** The REST body of a mosaic restriction. */
export const MOSAIC_RESTRICTION_BODY = {
  schema: z
    .union([VALUES_BODY.schema, RULES_BODY.schema])
    .meta({ id: "MosaicRestrictionDTO", description: "Rules of a mosaic, or values of an account for them." }),
  /** What GraphQL shows of both. */
  described: [VALUES_BODY.described, RULES_BODY.described],
  write: chosen<StateSource, StateSource, Body>(
    (source) => source,
    ({ value: bytes }) => (isOfAccount(bytes) ? VALUES_BODY.write : RULES_BODY.write) as Write<StateSource, Body>,
  ),
};
