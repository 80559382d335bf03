import type { MosaicBody } from "../../catapult/body/mosaic.js";
import type { Entry } from "../../database/lists/page.js";
import { mosaics } from "../../database/queries/state-nouns.js";
import { bodyOf, entryFields } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { membersOf } from "../graph/members.js";
import { listArguments, pageType, searchList } from "../graph/page.js";
import { checkKeys, stateDb } from "../graph/state.js";

const mosaicOf = (entry: Entry) => bodyOf<MosaicBody>(entry).mosaic;

export const Mosaic = builder.objectRef<Entry>("Mosaic").implement({
  description: "The state of a mosaic. Mosaics that have ended remain.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
    ...membersOf(t, mosaicOf, {
      mosaicId: ["ArtifactId", "Id of the mosaic.", "id"],
      supply: ["UInt64", "Supply in atomic units."],
      startHeight: ["SafeInt", "Height of the block that defined it."],
      ownerAddress: ["Address", "Address of the account that created it."],
      revision: ["SafeInt", "Revision: 1, incremented each time the definition was changed."],
      flags: ["Int", "Bits: 1 supply mutable, 2 transferable, 4 restrictable, 8 revokable."],
      divisibility: ["Int", "Number of decimal places: a whole unit has 10 to the power of it atomic units."],
      duration: ["UInt64", "Duration in blocks; 0 = unlimited."],
    }),
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
      const [mosaic] = await mosaics.find(await stateDb(context), [id]);
      return mosaic ?? null;
    },
  }),
  mosaicsByIds: t.field({
    type: [Mosaic],
    description: "Mosaics by their own ids, in the order of the request; missing ones are omitted.",
    args: { ids: t.arg({ description: "Ids of mosaics, at most 1000.", type: ["ArtifactId"], required: true }) },
    resolve: async (_root, { ids }, context) => {
      checkKeys("ids", ids);
      return mosaics.find(await stateDb(context), ids);
    },
  }),
  mosaics: t.field({
    type: MosaicPage,
    description: "Mosaics that match all given conditions, in the order in which the index first saw them.",
    args: {
      ownerAddress: t.arg({ description: "Address of the account that created them.", type: "Address" }),
      ...listArguments,
    },
    resolve: (_root, args, context) => searchList(mosaics.search, args, () => stateDb(context)),
  }),
}));
