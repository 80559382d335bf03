import { z } from "zod";
import {
  AddressHex,
  type BodyOf,
  Hash256,
  MosaicId,
  MosaicRestrictionTypeEnum,
  ObjectId,
  StateVersion,
  UInt64,
} from "../values/scalars.js";

const key = UInt64.describe("Key of the restriction.");

const MosaicAddressRestrictionEntryDTO = z
  .object({ key, value: UInt64.describe("Value of the account.") })
  .meta({ id: "MosaicAddressRestrictionEntryDTO" });

const MosaicGlobalRestrictionEntryDTO = z
  .object({
    key,
    restriction: z
      .object({
        referenceMosaicId: MosaicId.describe("Mosaic whose values are compared; 0 for the mosaic itself."),
        restrictionValue: UInt64,
        restrictionType: MosaicRestrictionTypeEnum,
      })
      .meta({ id: "MosaicGlobalRestrictionEntryRestrictionDTO" }),
  })
  .meta({ id: "MosaicGlobalRestrictionEntryDTO" });

/** A value of an account, or a rule of a mosaic. */
export type MosaicRestrictionValueBody = BodyOf<
  typeof MosaicAddressRestrictionEntryDTO | typeof MosaicGlobalRestrictionEntryDTO
>;

const entryShape = { version: StateVersion, compositeHash: Hash256, mosaicId: MosaicId };

const MosaicAddressRestrictionDTO = z
  .object({
    id: ObjectId,
    mosaicRestrictionEntry: z
      .object({
        ...entryShape,
        entryType: z.literal(0),
        targetAddress: AddressHex,
        restrictions: z.array(MosaicAddressRestrictionEntryDTO),
      })
      .meta({ id: "MosaicAddressRestrictionEntryWrapperDTO" }),
  })
  .meta({ id: "MosaicAddressRestrictionDTO", description: "Values of an account for the rules of a mosaic." });

const MosaicGlobalRestrictionDTO = z
  .object({
    id: ObjectId,
    mosaicRestrictionEntry: z
      .object({ ...entryShape, entryType: z.literal(1), restrictions: z.array(MosaicGlobalRestrictionEntryDTO) })
      .meta({ id: "MosaicGlobalRestrictionEntryWrapperDTO" }),
  })
  .meta({ id: "MosaicGlobalRestrictionDTO", description: "Rules of a mosaic." });

export const MosaicRestrictionDTO = z
  .union([MosaicAddressRestrictionDTO, MosaicGlobalRestrictionDTO])
  .meta({ id: "MosaicRestrictionDTO", description: "Rules of a mosaic, or values of an account for them." });

/** The REST body of a mosaic restriction. */
export type MosaicRestrictionBody = BodyOf<typeof MosaicRestrictionDTO>;
