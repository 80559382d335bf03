import { z } from "zod";
import { hex } from "../entity/hex.js";
import { idText } from "../json/format.js";
import * as form from "../values/forms.js";
import { member } from "../values/forms.js";
import { Hex, numberOf } from "../values/scalars.js";
import { METADATA_TYPE, metadataCompositeHash } from "./composite-hash.js";
import * as part from "./noun.js";
import { bodyOf, codecOf, membersOf, type ShownPart, type ValuesOf, WITH_ID } from "./noun.js";

const value: ShownPart<Buffer, string> = {
  schema: Hex,
  scalar: "Hex",
  json: hex,
  read: (reader, path, { valueSize }) => reader.bytes(valueSize as number, path),
  write: (writer, bytes) => writer.bytes(bytes),
};

const PARTS = {
  sourceAddress: member(part.address, "Address of the account that created the entry."),
  targetAddress: member(part.address, "The account, or the owner of the mosaic or namespace."),
  scopedMetadataKey: member(part.partOf(form.metadataKey, idText), "Key of the entry."),
  targetId: member(
    { ...part.mosaicId, schema: z.string().regex(/^[0-9A-F]{16}$/) },
    "Id of the mosaic or namespace, 64 bits as hex digits; zeros for an account.",
  ),
  metadataType: member(
    part.choice(METADATA_TYPE.namespace, numberOf("MetadataTypeEnum", [0, 1, 2], "0 account, 1 mosaic, 2 namespace.")),
    "What the value is attached to: 0 an account, 1 a mosaic, 2 a namespace.",
  ),
  valueSize: member(part.number(form.uint16Number), "Bytes in the value."),
  value: member(value, "The value."),
} as const;

/** The state value of a metadata entry. Source: catapult's `MetadataEntrySerializer`. */
export const METADATA_CODEC = codecOf("metadata", PARTS);

export type MetadataState = ValuesOf<typeof PARTS>;

/** The REST body of a metadata entry. */
export const METADATA_BODY = bodyOf(
  {
    id: "MetadataInfoDTO",
    description: "A value attached to an account, mosaic or namespace.",
    member: "metadataEntry",
    stateId: "MetadataEntryDTO",
    beside: WITH_ID,
  },
  {
    compositeHash: {
      ...member(form.hash, "Composite hash of source, target and key, by which it is found."),
      from: (metadata: MetadataState) => hex(metadataCompositeHash(metadata)),
    },
    ...membersOf(PARTS),
  },
);
