import * as codec from "../values/codecs.js";
import { field } from "../values/codecs.js";
import { Height } from "../values/scalars.js";
import type { ValuesOf } from "../values/struct.js";
import { stateBody, stateCodec } from "./state-codec.js";

export const MOSAIC_FIELDS = {
  id: field(codec.mosaicId, "Id of the mosaic.", { column: "mosaic_id" }),
  supply: field(codec.amount, "Atomic units that exist.", { column: "supply" }),
  startHeight: field(codec.height(Height), "Height of the block that defined it.", { column: "start_height" }),
  ownerAddress: field(codec.address, "Address of the account that created it.", { column: "owner_address" }),
  revision: field(codec.uint32Number, "Revision: 1, incremented each time the definition was changed."),
  flags: field(
    codec.mosaicFlags,
    "What the mosaic allows. Bits: 1 supply mutable, 2 transferable, 4 restrictable, 8 revokable.",
    { column: "flags" },
  ),
  divisibility: field(
    codec.divisibility,
    "Number of decimal places: a whole unit has 10 to the power of it atomic units.",
    { column: "divisibility" },
  ),
  duration: field({ ...codec.duration, scalar: "UInt64" }, "Duration in blocks; 0 = unlimited."),
} as const;

/** The state value of a mosaic. Source: catapult's `MosaicEntrySerializer`. */
export const MOSAIC_CODEC = stateCodec("mosaic", MOSAIC_FIELDS);

export type MosaicState = ValuesOf<typeof MOSAIC_FIELDS>;

/** The REST body of a mosaic. */
export const MOSAIC_BODY = stateBody(
  { id: "MosaicInfoDTO", description: "State of a mosaic.", member: "mosaic", stateId: "MosaicDTO" },
  MOSAIC_FIELDS,
);
