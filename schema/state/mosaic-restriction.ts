import type { MosaicRestrictionBody, MosaicRestrictionValueBody } from "../../catapult/body/mosaic-restriction.js";
import type { AnyOf } from "../../catapult/values/scalars.js";
import type { Entry } from "../../database/lists/page.js";
import { mosaicRestrictions } from "../../database/queries/state-nouns.js";
import { bodyOf, entryFields } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { membersOf } from "../graph/members.js";
import { listArguments, pageType, searchList } from "../graph/page.js";
import { checkKeys, stateDb } from "../graph/state.js";

const entryOf = (entry: Entry): AnyOf<MosaicRestrictionBody["mosaicRestrictionEntry"]> =>
  bodyOf<MosaicRestrictionBody>(entry).mosaicRestrictionEntry;

const RestrictionType = builder.objectRef<MosaicRestrictionValueBody>("MosaicRestrictionValue").implement({
  description: "A key with an account's value, or with the mosaic's rule for such values.",
  fields: (t) => ({
    key: t.expose("key", { description: "Key of the restriction.", type: "UInt64" }),
    value: t.field({
      description: "Value of the account, or the value it is compared with.",
      type: "UInt64",
      resolve: (one) => ("value" in one ? one.value : one.restriction.restrictionValue),
    }),
    restrictionType: t.int({
      nullable: true,
      description: "Comparison of a rule: 1 EQ, 2 NE, 3 LT, 4 LE, 5 GT, 6 GE.",
      resolve: (one) => ("value" in one ? null : one.restriction.restrictionType),
    }),
    referenceMosaicId: t.field({
      type: "ArtifactId",
      nullable: true,
      description: "For a rule: id of the mosaic whose values count, 0 for the mosaic itself.",
      resolve: (one) => ("value" in one ? null : one.restriction.referenceMosaicId),
    }),
  }),
});

export const MosaicRestriction = builder.objectRef<Entry>("MosaicRestriction").implement({
  description: "The rules of a mosaic, or the values of an account that are checked against them.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
    ...membersOf(t, entryOf, {
      compositeHash: ["Hash256", "Composite hash of mosaic and account."],
      entryType: ["Int", "Entry type: 0 = values of an account, 1 = rules of the mosaic."],
      mosaicId: ["ArtifactId", "Id of the mosaic."],
      targetAddress: ["Address?", "Address of the account; null for the mosaic's rules."],
      restrictions: [[RestrictionType], "Restrictions by key."],
    }),
  }),
});

export const MosaicRestrictionPage = pageType("MosaicRestrictionPage", MosaicRestriction);

builder.queryFields((t) => ({
  mosaicRestrictionsByHashes: t.field({
    type: [MosaicRestriction],
    description: "Mosaic restrictions by composite hashes, in the order of the request; missing ones are omitted.",
    args: {
      compositeHashes: t.arg({ description: "Composite hashes, at most 1000.", type: ["Hash256"], required: true }),
    },
    resolve: async (_root, { compositeHashes }, context) => {
      checkKeys("compositeHashes", compositeHashes);
      return mosaicRestrictions.find(await stateDb(context), compositeHashes);
    },
  }),
  mosaicRestrictions: t.field({
    type: MosaicRestrictionPage,
    description: "Mosaic restrictions that match all given conditions, in the order in which the index first saw them.",
    args: {
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId" }),
      entryType: t.arg.int({ description: "0 accounts' values, 1 mosaics' rules." }),
      targetAddress: t.arg({ description: "Address of the account with the values.", type: "Address" }),
      ...listArguments,
    },
    resolve: (_root, args, context) => searchList(mosaicRestrictions.search, args, () => stateDb(context)),
  }),
}));
