import { METADATA_TYPE } from "../../catapult/state/composite-hash.js";
import { METADATA_BODY } from "../../catapult/state/metadata.js";
import type { Entry } from "../../database/lists/page.js";
import { metadata } from "../../database/queries/state-lists.js";
import { entryFields, metadataOf } from "../graph/body.js";
import { accountField, mosaicField, namespaceField } from "../graph/loaders.js";
import { declaredFields } from "../graph/members.js";
import { stateQueries } from "../graph/state.js";
import { Metadata, MetadataPage } from "../graph/types.js";

/** The id of the target, if it is of this type. */
function targetOf(entry: Entry, type: number): string | undefined {
  const { targetId, metadataType } = metadataOf(entry);
  return metadataType === type ? targetId : undefined;
}

Metadata.implement({
  description: "A metadata entry of an account, a mosaic or a namespace.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
    ...declaredFields(t, metadataOf, [METADATA_BODY.described]),
    text: t.string({
      description: "The value decoded as UTF-8.",
      resolve: (entry) => Buffer.from(metadataOf(entry).value, "hex").toString("utf8"),
    }),
    mosaic: mosaicField(t, "Target of the entry, if it is a mosaic.", (entry) => targetOf(entry, METADATA_TYPE.mosaic)),
    namespace: namespaceField(t, "Target of the entry, if it is a namespace.", (entry) =>
      targetOf(entry, METADATA_TYPE.namespace),
    ),
    source: accountField(t, "Account that created the entry.", (entry) => metadataOf(entry).sourceAddress),
    target: accountField(
      t,
      "The account, or the owner of the mosaic or namespace.",
      (entry) => metadataOf(entry).targetAddress,
    ),
  }),
});

stateQueries(metadata, Metadata, MetadataPage);
