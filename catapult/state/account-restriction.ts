import type { AccountRestrictionBody, AccountRestrictionsBody } from "../body/account-restriction.js";
import { ADDRESS_SIZE } from "../entity/address.js";
import { hex } from "../entity/hex.js";
import { idText } from "../json/format.js";
import { type StateReader, stateDecoder } from "./state-reader.js";

/** Bits of restriction flags: one of the first three, optionally with the others. */
export const RESTRICTION_FLAG = {
  address: 0x0001,
  mosaicId: 0x0002,
  transactionType: 0x0004,
  outgoing: 0x4000,
  block: 0x8000,
} as const;

/** A list of values that an account allows or blocks; `flags` are bits of `RESTRICTION_FLAG`. */
export type AccountRestriction = { readonly flags: number } & (
  | { readonly kind: "address"; readonly values: readonly Buffer[] }
  | { readonly kind: "mosaicId"; readonly values: readonly bigint[] }
  | { readonly kind: "transactionType"; readonly values: readonly number[] }
);

const MODIFIERS = RESTRICTION_FLAG.outgoing | RESTRICTION_FLAG.block;
const RESTRICTION_HEADER_SIZE = 10;

function readRestriction(reader: StateReader, path: string): AccountRestriction {
  const flags = reader.uint16(`${path}.flags`);
  const count = reader.uint64(`${path}.valuesCount`);
  const name = `${path}.values`;
  switch (flags & ~MODIFIERS) {
    case RESTRICTION_FLAG.address:
      return { flags, kind: "address", values: reader.list(count, ADDRESS_SIZE, name, (one) => reader.address(one)) };
    case RESTRICTION_FLAG.mosaicId:
      return { flags, kind: "mosaicId", values: reader.list(count, 8, name, (one) => reader.uint64(one)) };
    case RESTRICTION_FLAG.transactionType:
      return { flags, kind: "transactionType", values: reader.list(count, 2, name, (one) => reader.uint16(one)) };
    default:
      throw reader.error(`${path}.flags`, `0x${flags.toString(16)} are unknown`);
  }
}

/** Decodes the state value of an account's restrictions. Source: catapult's `AccountRestrictionsSerializer`. */
export const decodeAccountRestriction = stateDecoder("accountRestriction", (reader) => ({
  address: reader.address("address"),
  restrictions: reader.list(reader.uint64("restrictionsCount"), RESTRICTION_HEADER_SIZE, "restrictions", (path) =>
    readRestriction(reader, path),
  ),
}));

export type AccountRestrictionState = ReturnType<typeof decodeAccountRestriction>;

function restrictionFields(restriction: AccountRestriction): AccountRestrictionBody {
  const { flags, kind, values } = restriction;
  if (kind === "address") return { restrictionFlags: flags, values: values.map(hex) };
  if (kind === "mosaicId") return { restrictionFlags: flags, values: values.map(idText) };
  return { restrictionFlags: flags, values };
}

/** The REST body of an account's restrictions (`AccountRestrictionsInfoDTO`), which has no id. */
export function renderAccountRestriction(state: AccountRestrictionState): string {
  const body: AccountRestrictionsBody = {
    accountRestrictions: {
      version: 1,
      address: hex(state.address),
      restrictions: state.restrictions.map(restrictionFields),
    },
  };
  return JSON.stringify(body);
}
