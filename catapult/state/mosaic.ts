import { decimalText } from "../json/format.js";
import * as form from "../values/forms.js";
import { member } from "../values/forms.js";
import { Height } from "../values/scalars.js";
import * as part from "./noun.js";
import { bodyOf, codecOf, membersOf, type ValuesOf, WITH_ID } from "./noun.js";

const PARTS = {
  id: member(part.mosaicId, "Id of the mosaic."),
  supply: member(part.amount, "Atomic units that exist."),
  startHeight: member(part.height(Height), "Height of the block that defined it."),
  ownerAddress: member(part.address, "Address of the account that created it."),
  revision: member(part.uint32, "Revision: 1, incremented each time the definition was changed."),
  flags: member(
    part.number(form.mosaicFlags),
    "What the mosaic allows. Bits: 1 supply mutable, 2 transferable, 4 restrictable, 8 revokable.",
  ),
  divisibility: member(
    part.number(form.divisibility),
    "Number of decimal places: a whole unit has 10 to the power of it atomic units.",
  ),
  duration: member(
    { ...part.partOf(form.duration, decimalText), scalar: "UInt64" },
    "Duration in blocks; 0 = unlimited.",
  ),
} as const;

/** The state value of a mosaic. Source: catapult's `MosaicEntrySerializer`. */
export const MOSAIC_CODEC = codecOf("mosaic", PARTS);

export type MosaicState = ValuesOf<typeof PARTS>;

/** The REST body of a mosaic. */
export const MOSAIC_BODY = bodyOf(
  {
    ...{ id: "MosaicInfoDTO", description: "State of a mosaic.", member: "mosaic", stateId: "MosaicDTO" },
    beside: WITH_ID,
  },
  membersOf(PARTS),
);
