import { z } from "zod";
import {
  AddressHex,
  type BodyOf,
  Hash256,
  Hex,
  MetadataKey,
  numberOf,
  ObjectId,
  StateVersion,
} from "../values/scalars.js";

export const MetadataInfoDTO = z
  .object({
    id: ObjectId,
    metadataEntry: z
      .object({
        version: StateVersion,
        compositeHash: Hash256,
        sourceAddress: AddressHex,
        targetAddress: AddressHex.describe("The account, or the owner of the mosaic or namespace."),
        scopedMetadataKey: MetadataKey,
        targetId: z
          .string()
          .regex(/^[0-9A-F]{16}$/)
          .describe("Id of the mosaic or namespace, 64 bits as hex digits; zeros for an account."),
        metadataType: numberOf("MetadataTypeEnum", [0, 1, 2], "0 account, 1 mosaic, 2 namespace."),
        valueSize: z.int().min(0).max(0xffff).describe("Bytes in `value`."),
        value: Hex,
      })
      .meta({ id: "MetadataEntryDTO" }),
  })
  .meta({ id: "MetadataInfoDTO", description: "A value attached to an account, mosaic or namespace." });

/** The REST body of a metadata entry. */
export type MetadataBody = BodyOf<typeof MetadataInfoDTO>;
