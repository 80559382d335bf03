import type { MosaicBody } from "../../catapult/body/mosaic.js";
import type { Entry } from "../../database/lists/page.js";
import { findMosaics, searchMosaics } from "../../database/queries/mosaics.js";
import { bodyOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { listArguments, pageType, searchList } from "../graph/page.js";
import { addressIn, checkKeys, stateDb } from "../graph/state.js";

const mosaicOf = (entry: Entry) => bodyOf<MosaicBody>(entry).mosaic;

export const Mosaic = builder.objectRef<Entry>("Mosaic").implement({
  description: "The state of a mosaic. Mosaics that have ended remain.",
  fields: (t) => ({
    id: t.expose("id", { type: "EntityId", description: "Id of the entry in the list." }),
    mosaicId: t.field({ description: "Id of the mosaic.", type: "ArtifactId", resolve: (entry) => mosaicOf(entry).id }),
    supply: t.field({
      type: "UInt64",
      description: "Supply in atomic units.",
      resolve: (entry) => mosaicOf(entry).supply,
    }),
    startHeight: t.field({
      description: "Height of the block that defined it.",
      type: "SafeInt",
      resolve: (entry) => Number(mosaicOf(entry).startHeight),
    }),
    ownerAddress: t.field({
      description: "Address of the account that created it.",
      type: "Address",
      resolve: (entry) => addressIn(mosaicOf(entry).ownerAddress),
    }),
    revision: t.field({
      type: "SafeInt",
      description: "Revision: 1, incremented each time the definition was changed.",
      resolve: (entry) => mosaicOf(entry).revision,
    }),
    flags: t.int({
      description: "Bits: 1 supply mutable, 2 transferable, 4 restrictable, 8 revokable.",
      resolve: (entry) => mosaicOf(entry).flags,
    }),
    divisibility: t.int({
      description: "Number of decimal places: a whole unit has 10 to the power of it atomic units.",
      resolve: (entry) => mosaicOf(entry).divisibility,
    }),
    duration: t.field({
      type: "UInt64",
      description: "Duration in blocks; 0 = unlimited.",
      resolve: (entry) => mosaicOf(entry).duration,
    }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("body", { description: "The REST body as JSON text." }),
  }),
});

export const MosaicPage = pageType("MosaicPage", Mosaic);

builder.queryFields((t) => ({
  mosaic: t.field({
    type: Mosaic,
    nullable: true,
    description: "A mosaic by its own id, not by that of a namespace that points to it.",
    args: { id: t.arg({ description: "Own id of the mosaic.", type: "ArtifactId", required: true }) },
    resolve: async (_root, { id }, context) => {
      const [mosaic] = await findMosaics(await stateDb(context), [id]);
      return mosaic ?? null;
    },
  }),
  mosaicsByIds: t.field({
    type: [Mosaic],
    description: "Mosaics by their own ids, in the order of the request; missing ones are omitted.",
    args: { ids: t.arg({ description: "Ids of mosaics, at most 1000.", type: ["ArtifactId"], required: true }) },
    resolve: async (_root, { ids }, context) => {
      checkKeys("ids", ids);
      return findMosaics(await stateDb(context), ids);
    },
  }),
  mosaics: t.field({
    type: MosaicPage,
    description: "Mosaics that match all given conditions, in the order in which the index first saw them.",
    args: {
      ownerAddress: t.arg({ description: "Address of the account that created them.", type: "Address" }),
      ...listArguments,
    },
    resolve: (_root, args, context) => searchList(searchMosaics, args, () => stateDb(context)),
  }),
}));
