import type { MetadataBody } from "../../catapult/body/metadata.js";
import type { Entry } from "../../database/lists/page.js";
import { metadata } from "../../database/queries/state-nouns.js";
import { bodyOf, entryFields } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { membersOf } from "../graph/members.js";
import { listArguments, pageType, searchList } from "../graph/page.js";
import { checkKeys, stateDb } from "../graph/state.js";

const metadataOf = (entry: Entry) => bodyOf<MetadataBody>(entry).metadataEntry;

export const Metadata = builder.objectRef<Entry>("Metadata").implement({
  description: "A metadata entry of an account, a mosaic or a namespace.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
    ...membersOf(t, metadataOf, {
      compositeHash: ["Hash256", "Composite hash of source, target and key."],
      sourceAddress: ["Address", "Address of the account that created the entry."],
      targetAddress: ["Address", "Address of the account, or of the owner of the mosaic or namespace."],
      scopedMetadataKey: ["ArtifactId", "Key of the entry."],
      targetId: ["ArtifactId", "Id of the mosaic or namespace; 0 for account metadata."],
      metadataType: ["Int", "0 account, 1 mosaic, 2 namespace."],
      valueSize: ["Int", "Bytes."],
      value: ["Hex", "Bytes of the value."],
    }),
    text: t.string({
      description: "The value decoded as UTF-8.",
      resolve: (entry) => Buffer.from(metadataOf(entry).value, "hex").toString("utf8"),
    }),
  }),
});

export const MetadataPage = pageType("MetadataPage", Metadata);

builder.queryFields((t) => ({
  metadataByHashes: t.field({
    type: [Metadata],
    description: "Metadata entries by composite hashes, in the order of the request; missing ones are omitted.",
    args: {
      compositeHashes: t.arg({ description: "Composite hashes, at most 1000.", type: ["Hash256"], required: true }),
    },
    resolve: async (_root, { compositeHashes }, context) => {
      checkKeys("compositeHashes", compositeHashes);
      return metadata.find(await stateDb(context), compositeHashes);
    },
  }),
  metadata: t.field({
    type: MetadataPage,
    description: "Metadata entries that match all given conditions, in the order in which the index first saw them.",
    args: {
      sourceAddress: t.arg({ type: "Address", description: "Address of the account that created the entry." }),
      targetAddress: t.arg({
        type: "Address",
        description: "Address of the account, or of the owner of the mosaic or namespace.",
      }),
      scopedMetadataKey: t.arg({ description: "Key of the entry.", type: "ArtifactId" }),
      targetId: t.arg({ type: "ArtifactId", description: "Id of the mosaic or namespace." }),
      metadataType: t.arg.int({ description: "0 account, 1 mosaic, 2 namespace." }),
      ...listArguments,
    },
    resolve: (_root, args, context) => searchList(metadata.search, args, () => stateDb(context)),
  }),
}));
