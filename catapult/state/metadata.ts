import * as codec from "../values/codecs.js";
import { field } from "../values/codecs.js";
import { numberSchema } from "../values/scalars.js";
import type { ValuesOf } from "../values/struct.js";
import { METADATA_TYPE } from "./composite-hash.js";
import { stateBody, stateCodec } from "./state-codec.js";

const metadataType = numberSchema("MetadataTypeEnum", [0, 1, 2], "0 account, 1 mosaic, 2 namespace.");

export const METADATA_FIELDS = {
  sourceAddress: field(codec.address, "Address of the account that created the entry.", { column: "source_address" }),
  targetAddress: field(codec.address, "The account, or the owner of the mosaic or namespace.", {
    column: "target_address",
  }),
  scopedMetadataKey: field(codec.metadataKey, "Key of the entry.", { column: "scoped_metadata_key" }),
  targetId: field(codec.targetId, "Id of the mosaic or namespace, 64 bits as hex digits; zeros for an account.", {
    column: "target_id",
  }),
  metadataType: field(
    codec.choice(METADATA_TYPE.namespace, metadataType),
    "What the value is attached to: 0 an account, 1 a mosaic, 2 a namespace.",
    { column: "metadata_type" },
  ),
  valueSize: field(codec.uint16Number, "Bytes in the value."),
  value: field(codec.bytesCodec("valueSize"), "The value."),
} as const;

/** The state value of a metadata entry. Source: catapult's `MetadataEntrySerializer`. */
export const METADATA_CODEC = stateCodec("metadata", METADATA_FIELDS);

export type MetadataState = ValuesOf<typeof METADATA_FIELDS>;

/** The REST body of a metadata entry. */
export const METADATA_BODY = stateBody(
  {
    id: "MetadataInfoDTO",
    description: "A value attached to an account, mosaic or namespace.",
    member: "metadataEntry",
    stateId: "MetadataEntryDTO",
  },
  METADATA_FIELDS,
  {
    json: ["compositeHash", ...Object.keys(METADATA_FIELDS)],
    compositeHash: "Composite hash of source, target and key, by which it is found.",
  },
);
