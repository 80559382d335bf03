import { z } from "zod";
import {
  AddressHex,
  Amount,
  BlockDuration,
  type BodyOf,
  Divisibility,
  Height,
  MosaicFlagsEnum,
  MosaicId,
  ObjectId,
  StateVersion,
  UInt32,
} from "../values/scalars.js";

export const MosaicInfoDTO = z
  .object({
    id: ObjectId,
    mosaic: z
      .object({
        version: StateVersion,
        id: MosaicId,
        supply: Amount,
        startHeight: Height.describe("Height at which the mosaic was defined."),
        ownerAddress: AddressHex,
        revision: UInt32.describe("Revision: 1, incremented for each change of the definition."),
        flags: MosaicFlagsEnum,
        divisibility: Divisibility,
        duration: BlockDuration,
      })
      .meta({ id: "MosaicDTO" }),
  })
  .meta({ id: "MosaicInfoDTO", description: "State of a mosaic." });

/** The REST body of a mosaic. */
export type MosaicBody = BodyOf<typeof MosaicInfoDTO>;
