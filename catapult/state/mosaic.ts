import type { MosaicBody } from "../body/mosaic.js";
import { hex } from "../entity/hex.js";
import { decimalText, idText } from "../json/format.js";
import { StateReader } from "./state-reader.js";

/** The state of a mosaic. */
export interface MosaicState {
  readonly id: bigint;
  /** Atomic units. */
  readonly supply: bigint;
  readonly startHeight: number;
  readonly ownerAddress: Buffer;
  /** 1, incremented each time the definition was changed. */
  readonly revision: number;
  readonly flags: number;
  readonly divisibility: number;
  /** Blocks; 0 = unlimited. */
  readonly duration: bigint;
}

/**
 * Decodes the state value of a mosaic, which fills `value` exactly.
 * Source: catapult's `MosaicEntrySerializer`. Throws `EntityError` naming the field.
 */
export function decodeMosaic(value: Buffer): MosaicState {
  const reader = new StateReader(value, "mosaic");
  reader.version();
  const mosaic: MosaicState = {
    id: reader.uint64("id"),
    supply: reader.uint64("supply"),
    startHeight: reader.safeUint64("startHeight"),
    ownerAddress: reader.address("ownerAddress"),
    revision: reader.uint32("revision"),
    flags: reader.uint8("flags"),
    divisibility: reader.uint8("divisibility"),
    duration: reader.uint64("duration"),
  };
  reader.end();
  return mosaic;
}

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
