import type { MetadataBody } from "../../catapult/body/metadata.js";
import type { Entry } from "../../database/lists/page.js";
import { findMetadata, searchMetadata } from "../../database/queries/metadata.js";
import { given } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { bodyOf } from "../graph/document.js";
import { listArguments, pageType, readList, splitArguments } from "../graph/page.js";
import { addressIn, checkKeys, stateDb } from "../graph/state.js";

const metadataOf = (entry: Entry) => bodyOf<MetadataBody>(entry).metadataEntry;

export const Metadata = builder.objectRef<Entry>("Metadata").implement({
  description: "A value that an account attached to an account, a mosaic or a namespace.",
  fields: (t) => ({
    id: t.expose("id", { description: "Of the entry in the list.", type: "EntityId" }),
    compositeHash: t.field({
      description: "Of who attached it, to what, and under which key.",
      type: "Hash256",
      resolve: (entry) => metadataOf(entry).compositeHash,
    }),
    sourceAddress: t.field({
      type: "Address",
      description: "Who attached it.",
      resolve: (entry) => addressIn(metadataOf(entry).sourceAddress),
    }),
    targetAddress: t.field({
      type: "Address",
      description: "The account, or the owner of the mosaic or namespace.",
      resolve: (entry) => addressIn(metadataOf(entry).targetAddress),
    }),
    scopedMetadataKey: t.field({
      description: "Under which the source attached it.",
      type: "ArtifactId",
      resolve: (entry) => metadataOf(entry).scopedMetadataKey,
    }),
    targetId: t.field({
      type: "ArtifactId",
      description: "Mosaic or namespace; 0 for an account's metadata.",
      resolve: (entry) => metadataOf(entry).targetId,
    }),
    metadataType: t.int({
      description: "0 account, 1 mosaic, 2 namespace.",
      resolve: (entry) => metadataOf(entry).metadataType,
    }),
    valueSize: t.int({ description: "Bytes.", resolve: (entry) => metadataOf(entry).valueSize }),
    value: t.field({ description: "The bytes.", type: "Hex", resolve: (entry) => metadataOf(entry).value }),
    text: t.string({
      description: "The value read as UTF-8.",
      resolve: (entry) => Buffer.from(metadataOf(entry).value, "hex").toString("utf8"),
    }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("document", { description: "The REST body as JSON text." }),
  }),
});

export const MetadataPage = pageType("MetadataPage", Metadata);

builder.queryFields((t) => ({
  metadataByHashes: t.field({
    type: [Metadata],
    description: "Metadata entries by composite hashes, in the order asked; those that do not exist are left out.",
    args: { compositeHashes: t.arg({ description: "At most 1000.", type: ["Hash256"], required: true }) },
    resolve: async (_root, { compositeHashes }, context) => {
      checkKeys("compositeHashes", compositeHashes);
      return findMetadata(await stateDb(context), compositeHashes);
    },
  }),
  metadata: t.field({
    type: MetadataPage,
    description: "Metadata entries for which everything given holds, by the order in which they came.",
    args: {
      sourceAddress: t.arg({ type: "Address", description: "Who attached it." }),
      targetAddress: t.arg({ type: "Address", description: "The account, or the owner of the mosaic or namespace." }),
      scopedMetadataKey: t.arg({ description: "Under which it was attached.", type: "ArtifactId" }),
      targetId: t.arg({ type: "ArtifactId", description: "Mosaic or namespace." }),
      metadataType: t.arg.int({ description: "0 account, 1 mosaic, 2 namespace." }),
      ...listArguments,
    },
    resolve: async (_root, args, context) => {
      const { list, filter } = splitArguments(args);
      return readList(list, async (request) => searchMetadata(await stateDb(context), given(filter), request));
    },
  }),
}));
