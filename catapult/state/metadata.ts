import type { MetadataBody } from "../body/metadata.js";
import { hex } from "../entity/hex.js";
import { idText } from "../json/format.js";
import { METADATA_TYPE, type MetadataIdentity, metadataCompositeHash } from "./composite-hash.js";
import { StateReader } from "./state-reader.js";

/** A metadata entry with its value. */
export interface MetadataState extends MetadataIdentity {
  readonly value: Buffer;
}

/**
 * Decodes the state value of a metadata entry, which fills `value` exactly.
 * Source: catapult's `MetadataEntrySerializer`. Throws `EntityError` naming the field.
 */
export function decodeMetadata(value: Buffer): MetadataState {
  const reader = new StateReader(value, "metadata");
  reader.version();
  const identity = {
    sourceAddress: reader.address("sourceAddress"),
    targetAddress: reader.address("targetAddress"),
    scopedMetadataKey: reader.uint64("scopedMetadataKey"),
    targetId: reader.uint64("targetId"),
    metadataType: reader.enumeration(METADATA_TYPE.namespace, "metadataType"),
  };
  const metadata = { ...identity, value: reader.bytes(reader.uint16("valueSize"), "value") };
  reader.end();
  return metadata;
}

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
