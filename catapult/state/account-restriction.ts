import { z } from "zod";
import { ADDRESS_SIZE } from "../entity/address.js";
import * as form from "../values/forms.js";
import { member } from "../values/forms.js";
import { AccountRestrictionFlagsEnum, AddressHex, EntityType, MosaicId } from "../values/scalars.js";
import * as part from "./noun.js";
import { bodyOf, count64, decoderOf, list, membersOf, type ShownPart, type ValuesOf } from "./noun.js";

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

const VALUES = {
  address: list(part.address, ADDRESS_SIZE, count64),
  mosaicId: list(part.mosaicId, 8, count64),
  transactionType: list(part.number(form.entityType), 2, count64),
};
type Kind = keyof typeof VALUES;

/** A list of values that an account allows or blocks; `flags` are bits of `RESTRICTION_FLAG`. */
export type AccountRestriction = {
  [K in Kind]: { readonly flags: number; readonly kind: K; readonly values: ValuesOf<typeof VALUES>[K] };
}[Kind];

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
    const kind = (Object.keys(VALUES) as Kind[]).find((one) => RESTRICTION_FLAG[one] === (flags & ~MODIFIERS));
    if (!kind) throw reader.error(`${path}.flags`, `0x${flags.toString(16)} are unknown`);
    return { flags, kind, values: VALUES[kind].read(reader, `${path}.values`, {}) } as AccountRestriction;
  },
  json: ({ flags, kind, values }) => ({ restrictionFlags: flags, values: VALUES[kind].json(values as never) }),
};

const PARTS = {
  address: member(part.address, "Address of the account."),
  restrictions: member(list(restriction, LEAST_SIZE, count64), "Restrictions by kind."),
} as const;

/** Decodes the state value of an account's restrictions. Source: catapult's `AccountRestrictionsSerializer`. */
export const decodeAccountRestriction = decoderOf("accountRestriction", PARTS);

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
