import type { MosaicBody } from "../body/mosaic.js";
import { hex } from "../entity/hex.js";
import { decimalText, idText } from "../json/format.js";
import { stateDecoder } from "./state-reader.js";

/** Decodes the state value of a mosaic. Source: catapult's `MosaicEntrySerializer`. */
export const decodeMosaic = stateDecoder("mosaic", (reader) => ({
  id: reader.uint64("id"),
  /** Atomic units. */
  supply: reader.uint64("supply"),
  startHeight: reader.safeUint64("startHeight"),
  ownerAddress: reader.address("ownerAddress"),
  /** 1, incremented each time the definition was changed. */
  revision: reader.uint32("revision"),
  flags: reader.uint8("flags"),
  divisibility: reader.uint8("divisibility"),
  /** Blocks; 0 = unlimited. */
  duration: reader.uint64("duration"),
}));

export type MosaicState = ReturnType<typeof decodeMosaic>;

/** The REST body of a mosaic (`MosaicInfoDTO`); `id` is 24 hex digits. */
export function renderMosaic(mosaic: MosaicState, id: string): string {
  const body: MosaicBody = {
    id,
    mosaic: {
      version: 1,
      id: idText(mosaic.id),
      supply: decimalText(mosaic.supply),
      startHeight: decimalText(mosaic.startHeight),
      ownerAddress: hex(mosaic.ownerAddress),
      revision: mosaic.revision,
      flags: mosaic.flags,
      divisibility: mosaic.divisibility,
      duration: decimalText(mosaic.duration),
    },
  };
  return JSON.stringify(body);
}
