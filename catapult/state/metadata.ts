import type { MetadataBody } from "../body/metadata.js";
import { hex } from "../entity/hex.js";
import { idText } from "../json/format.js";
import { METADATA_TYPE, metadataCompositeHash } from "./composite-hash.js";
import { stateDecoder } from "./state-reader.js";

/** Decodes the state value of a metadata entry. Source: catapult's `MetadataEntrySerializer`. */
export const decodeMetadata = stateDecoder("metadata", (reader) => ({
  sourceAddress: reader.address("sourceAddress"),
  targetAddress: reader.address("targetAddress"),
  scopedMetadataKey: reader.uint64("scopedMetadataKey"),
  targetId: reader.uint64("targetId"),
  metadataType: reader.enumeration(METADATA_TYPE.namespace, "metadataType"),
  value: reader.bytes(reader.uint16("valueSize"), "value"),
}));

export type MetadataState = ReturnType<typeof decodeMetadata>;

/** The REST body of a metadata entry (`MetadataInfoDTO`); `id` is 24 hex digits. */
export function renderMetadata(metadata: MetadataState, id: string): string {
  const body: MetadataBody = {
    id,
    metadataEntry: {
      version: 1,
      compositeHash: hex(metadataCompositeHash(metadata)),
      sourceAddress: hex(metadata.sourceAddress),
      targetAddress: hex(metadata.targetAddress),
      scopedMetadataKey: idText(metadata.scopedMetadataKey),
      targetId: idText(metadata.targetId),
      metadataType: metadata.metadataType,
      valueSize: metadata.value.length,
      value: hex(metadata.value),
    },
  };
  return JSON.stringify(body);
}
