import { z } from "zod";
import { object, type Write, writeItems } from "../values/body-writer.js";
import * as codec from "../values/codecs.js";
import { field } from "../values/codecs.js";
import { AccountRestrictionFlagsEnum, AddressHex, EntityType, MosaicId } from "../values/scalars.js";
import type { ValuesOf } from "../values/struct.js";
import { type OwnShown, ownField, stateBody, stateCodec } from "./state-codec.js";

/** Bits of restriction flags: one of the first three, optionally with the others. */
export const RESTRICTION_FLAG = {
  address: 0x0001,
  mosaicId: 0x0002,
  transactionType: 0x0004,
  outgoing: 0x4000,
  block: 0x8000,
} as const;

const MODIFIERS = RESTRICTION_FLAG.outgoing | RESTRICTION_FLAG.block;
/** Flags, and the number of values. */
const HEAD_SIZE = 10;

/** What is restricted, by the flags. */
const CODECS = new Map<number, codec.Codec<unknown, string | number>>([
  [RESTRICTION_FLAG.address, codec.address],
  [RESTRICTION_FLAG.mosaicId, codec.mosaicId],
  [RESTRICTION_FLAG.transactionType, codec.entityType],
]);
const codecOf = (flags: number) => CODECS.get(flags & ~MODIFIERS);

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

function sizeAt(bytes: Buffer, at: number): number {
  const count = Number(bytes.readBigUInt64LE(at + codec.uint16.size));
  return HEAD_SIZE + count * codecOf(bytes.readUInt16LE(at))!.size;
}

const writeValues: Write<Buffer, readonly (string | number)[]> = (writer, bytes, at) => {
  const { size, json } = codecOf(bytes.readUInt16LE(at))!;
  return writeItems(writer, json, bytes, at + HEAD_SIZE, at + sizeAt(bytes, at), () => size);
};
const writeRestriction = object<Buffer, AccountRestrictionBody>({
  restrictionFlags: codec.accountRestrictionFlags.json,
  values: writeValues,
});

const COUNT_SIZE = 8;
const restrictions = ownField<readonly AccountRestriction[], OwnShown<readonly AccountRestrictionBody[]>>({
  schema: z.array(AccountRestrictionDTO),
  decode: (reader, name) =>
    reader.list(reader.uint64(`${name}Count`), HEAD_SIZE, name, (path) => {
      const flags = reader.uint16(`${path}.flags`);
      const { size } = codecOf(flags) ?? { size: 0 };
      if (size === 0) throw reader.error(`${path}.flags`, `0x${flags.toString(16)} are unknown`);
      const count = reader.uint64(`${path}.valuesCount`);
      return { flags, values: reader.list(count, size, `${path}.values`, (one) => reader.bytes(size, one)) };
    }),
  encode: (writer, lists) => {
    writer.uint64(lists.length);
    for (const { flags, values } of lists) {
      writer.uint16(flags).uint64(values.length);
      for (const value of values) writer.bytes(value);
    }
  },
  sizeAt: (_, bytes, at) => {
    let end = at + COUNT_SIZE;
    for (let left = Number(bytes.readBigUInt64LE(at)); left > 0; --left) end += sizeAt(bytes, end);
    return end - at;
  },
  json: (start, end) => (writer, bytes, at) =>
    writeItems(writer, writeRestriction, bytes, start(bytes, at) + COUNT_SIZE, end(bytes, at), sizeAt),
});

export const ACCOUNT_RESTRICTIONS_FIELDS = {
  address: field(codec.address, "Address of the account.", { column: "address" }),
  restrictions: field(restrictions, "Restrictions by kind."),
} as const;

/** The state value of an account's restrictions. Source: catapult's `AccountRestrictionsSerializer`. */
export const ACCOUNT_RESTRICTIONS_CODEC = stateCodec("accountRestriction", ACCOUNT_RESTRICTIONS_FIELDS);

export type AccountRestrictionsState = ValuesOf<typeof ACCOUNT_RESTRICTIONS_FIELDS>;

/** The REST body of an account's restrictions. */
export const ACCOUNT_RESTRICTIONS_BODY = stateBody(
  {
    id: "AccountRestrictionsInfoDTO",
    description: "The restrictions of an account.",
    member: "accountRestrictions",
    stateId: "AccountRestrictionsDTO",
    hasId: false,
  },
  ACCOUNT_RESTRICTIONS_FIELDS,
);
