import { z } from "zod";
import { ADDRESS_SIZE } from "../entity/address.js";
import { hex } from "../entity/hex.js";
import { idText } from "../json/format.js";
import { member } from "../values/forms.js";
import { AccountRestrictionFlagsEnum, AddressHex, EntityType, MosaicId } from "../values/scalars.js";
import * as part from "./noun.js";
import { bodyOf, codecOf, count64, list, membersOf, type ShownPart, type ValuesOf } from "./noun.js";

/** Bits of restriction flags: one of the first three, optionally with the others. */
export const RESTRICTION_FLAG = {
  address: 0x0001,
  mosaicId: 0x0002,
  transactionType: 0x0004,
  outgoing: 0x4000,
  block: 0x8000,
} as const;

const MODIFIERS = RESTRICTION_FLAG.outgoing | RESTRICTION_FLAG.block;
const LEAST_SIZE = 10;

/** The values of a list: their size in bytes, and their JSON. */
const addresses = { size: ADDRESS_SIZE, json: hex };
const mosaicIds = { size: 8, json: (value: Buffer) => idText(value.readBigUInt64LE()) };
const transactionTypes = { size: 2, json: (value: Buffer) => value.readUInt16LE() };

function valuesOf(flags: number) {
  switch (flags & ~MODIFIERS) {
    case RESTRICTION_FLAG.address:
      return addresses;
    case RESTRICTION_FLAG.mosaicId:
      return mosaicIds;
    case RESTRICTION_FLAG.transactionType:
      return transactionTypes;
    default:
      return undefined;
  }
}

/** A list of values that an account allows or blocks. */
export interface AccountRestriction {
  /** Bits of `RESTRICTION_FLAG`. */
  readonly flags: number;
  /** The bytes of addresses, mosaic ids or transaction types, sorted. */
  readonly values: readonly Buffer[];
}

const AccountRestrictionDTO = z
  .object({
    restrictionFlags: AccountRestrictionFlagsEnum.describe(
      "What is restricted. Bits: 1 addresses, 2 mosaics, 4 transaction types, 16384 outgoing, 32768 blocked.",
    ),
    values: z
      .array(z.union([AddressHex, MosaicId, EntityType]))
      .readonly()
      .describe("Allowed or blocked addresses, mosaic ids or transaction types, by the flags."),
  })
  .meta({ id: "AccountRestrictionDTO", description: "A list of values that an account allows or blocks." });

/** The REST body of a list of values. */
export type AccountRestrictionBody = Readonly<z.infer<typeof AccountRestrictionDTO>>;

const restriction: ShownPart<AccountRestriction, AccountRestrictionBody> = {
  schema: AccountRestrictionDTO,
  scalar: undefined,
  read: (reader, path) => {
    const flags = reader.uint16(`${path}.flags`);
    const values = valuesOf(flags);
    if (!values) throw reader.error(`${path}.flags`, `0x${flags.toString(16)} are unknown`);
    const count = reader.uint64(`${path}.valuesCount`);
    const read = (one: string) => reader.bytes(values.size, one);
    return { flags, values: reader.list(count, values.size, `${path}.values`, read) };
  },
  write: (writer, { flags, values }) => {
    writer.uint16(flags).uint64(values.length);
    for (const value of values) writer.bytes(value);
  },
  json: ({ flags, values }) => ({
    restrictionFlags: flags,
    values: values.map((value) => valuesOf(flags)!.json(value)),
  }),
};

const PARTS = {
  address: member(part.address, "Address of the account."),
  restrictions: member(list(restriction, LEAST_SIZE, count64), "Restrictions by kind."),
} as const;

/** The state value of an account's restrictions. Source: catapult's `AccountRestrictionsSerializer`. */
export const ACCOUNT_RESTRICTIONS_CODEC = codecOf("accountRestriction", PARTS);

export type AccountRestrictionsState = ValuesOf<typeof PARTS>;

/** The REST body of an account's restrictions, which has no id. */
export const ACCOUNT_RESTRICTIONS_BODY = bodyOf(
  {
    id: "AccountRestrictionsInfoDTO",
    description: "The restrictions of an account.",
    member: "accountRestrictions",
    stateId: "AccountRestrictionsDTO",
    beside: {},
  },
  membersOf(PARTS),
);
