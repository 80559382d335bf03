import type { MetadataBody } from "../../catapult/body/metadata.js";
import type { Entry } from "../../database/lists/page.js";
import { findMetadata, searchMetadata } from "../../database/queries/metadata.js";
import { bodyOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { listArguments, pageType, searchList } from "../graph/page.js";
import { addressIn, checkKeys, stateDb } from "../graph/state.js";

const metadataOf = (entry: Entry) => bodyOf<MetadataBody>(entry).metadataEntry;

export const Metadata = builder.objectRef<Entry>("Metadata").implement({
  description: "A metadata entry of an account, a mosaic or a namespace.",
  fields: (t) => ({
    id: t.expose("id", { description: "Id of the entry in the list.", type: "EntityId" }),
    compositeHash: t.field({
      description: "Composite hash of source, target and key.",
      type: "Hash256",
      resolve: (entry) => metadataOf(entry).compositeHash,
    }),
    sourceAddress: t.field({
      type: "Address",
      description: "Address of the account that created the entry.",
      resolve: (entry) => addressIn(metadataOf(entry).sourceAddress),
    }),
    targetAddress: t.field({
      type: "Address",
      description: "Address of the account, or of the owner of the mosaic or namespace.",
      resolve: (entry) => addressIn(metadataOf(entry).targetAddress),
    }),
    scopedMetadataKey: t.field({
      description: "Key of the entry.",
      type: "ArtifactId",
      resolve: (entry) => metadataOf(entry).scopedMetadataKey,
    }),
    targetId: t.field({
      type: "ArtifactId",
      description: "Id of the mosaic or namespace; 0 for account metadata.",
      resolve: (entry) => metadataOf(entry).targetId,
    }),
    metadataType: t.int({
      description: "0 account, 1 mosaic, 2 namespace.",
      resolve: (entry) => metadataOf(entry).metadataType,
    }),
    valueSize: t.int({ description: "Bytes.", resolve: (entry) => metadataOf(entry).valueSize }),
    value: t.field({ description: "Bytes of the value.", type: "Hex", resolve: (entry) => metadataOf(entry).value }),
    text: t.string({
      description: "The value decoded as UTF-8.",
      resolve: (entry) => Buffer.from(metadataOf(entry).value, "hex").toString("utf8"),
    }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("body", { description: "The REST body as JSON text." }),
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
      return findMetadata(await stateDb(context), compositeHashes);
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
    resolve: (_root, args, context) => searchList(searchMetadata, args, () => stateDb(context)),
  }),
}));
