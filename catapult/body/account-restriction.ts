import { z } from "zod";
import {
  AccountRestrictionFlagsEnum,
  AddressHex,
  type BodyOf,
  EntityType,
  MosaicId,
  StateVersion,
} from "../values/scalars.js";

const AccountRestrictionDTO = z
  .object({
    restrictionFlags: AccountRestrictionFlagsEnum,
    values: z.array(z.union([AddressHex, MosaicId, EntityType])),
  })
  .meta({ id: "AccountRestrictionDTO", description: "A list of values that an account allows or blocks." });

/** A list of values that an account allows or blocks. */
export type AccountRestrictionBody = BodyOf<typeof AccountRestrictionDTO>;

export const AccountRestrictionsInfoDTO = z
  .object({
    accountRestrictions: z
      .object({ version: StateVersion, address: AddressHex, restrictions: z.array(AccountRestrictionDTO) })
      .meta({ id: "AccountRestrictionsDTO" }),
  })
  .meta({ id: "AccountRestrictionsInfoDTO", description: "The restrictions of an account." });

/** The REST body of an account's restrictions. */
export type AccountRestrictionsBody = BodyOf<typeof AccountRestrictionsInfoDTO>;
