import type { MosaicRestrictionBody, MosaicRestrictionValueBody } from "../../catapult/body/mosaic-restriction.js";
import type { AnyOf } from "../../catapult/body/scalars.js";
import type { Entry } from "../../database/lists/page.js";
import { findMosaicRestrictions, searchMosaicRestrictions } from "../../database/queries/mosaic-restrictions.js";
import { given } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { bodyOf } from "../graph/document.js";
import { listArguments, pageType, readList, splitArguments } from "../graph/page.js";
import { addressIn, checkKeys, stateDb } from "../graph/state.js";

const entryOf = (entry: Entry): AnyOf<MosaicRestrictionBody["mosaicRestrictionEntry"]> =>
  bodyOf<MosaicRestrictionBody>(entry).mosaicRestrictionEntry;

const RestrictionType = builder.objectRef<MosaicRestrictionValueBody>("MosaicRestrictionValue").implement({
  description: "A key with an account's value, or with the mosaic's rule for such values.",
  fields: (t) => ({
    key: t.expose("key", { description: "Names what is restricted.", type: "UInt64" }),
    value: t.field({
      description: "Of the account, or what it is compared with.",
      type: "UInt64",
      resolve: (one) => ("value" in one ? one.value : one.restriction.restrictionValue),
    }),
    restrictionType: t.int({
      nullable: true,
      description: "Of a rule: 1 EQ, 2 NE, 3 LT, 4 LE, 5 GT, 6 GE.",
      resolve: (one) => ("value" in one ? null : one.restriction.restrictionType),
    }),
    referenceMosaicId: t.field({
      type: "ArtifactId",
      nullable: true,
      description: "Of a rule: the mosaic whose values count, 0 for the mosaic itself.",
      resolve: (one) => ("value" in one ? null : one.restriction.referenceMosaicId),
    }),
  }),
});

export const MosaicRestriction = builder.objectRef<Entry>("MosaicRestriction").implement({
  description: "The rules of a mosaic, or the values of an account that they are held against.",
  fields: (t) => ({
    id: t.expose("id", { description: "Of the entry in the list.", type: "EntityId" }),
    compositeHash: t.field({
      description: "Of mosaic and account.",
      type: "Hash256",
      resolve: (entry) => entryOf(entry).compositeHash,
    }),
    entryType: t.int({
      description: "0 an account's values, 1 the mosaic's rules.",
      resolve: (entry) => entryOf(entry).entryType,
    }),
    mosaicId: t.field({
      description: "Of the mosaic.",
      type: "ArtifactId",
      resolve: (entry) => entryOf(entry).mosaicId,
    }),
    targetAddress: t.field({
      type: "Address",
      nullable: true,
      description: "Null for the mosaic's rules.",
      resolve: (entry) => {
        const { targetAddress } = entryOf(entry);
        return targetAddress === undefined ? null : addressIn(targetAddress);
      },
    }),
    restrictions: t.field({
      description: "By key.",
      type: [RestrictionType],
      resolve: (entry) => entryOf(entry).restrictions,
    }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("document", { description: "The REST body as JSON text." }),
  }),
});

export const MosaicRestrictionPage = pageType("MosaicRestrictionPage", MosaicRestriction);

builder.queryFields((t) => ({
  mosaicRestrictionsByHashes: t.field({
    type: [MosaicRestriction],
    description: "Restrictions of mosaics by composite hashes, in the order asked; what does not exist is left out.",
    args: { compositeHashes: t.arg({ description: "At most 1000.", type: ["Hash256"], required: true }) },
    resolve: async (_root, { compositeHashes }, context) => {
      checkKeys("compositeHashes", compositeHashes);
      return findMosaicRestrictions(await stateDb(context), compositeHashes);
    },
  }),
  mosaicRestrictions: t.field({
    type: MosaicRestrictionPage,
    description: "Restrictions of mosaics for which everything given holds, by the order in which they came.",
    args: {
      mosaicId: t.arg({ description: "Of this mosaic.", type: "ArtifactId" }),
      entryType: t.arg.int({ description: "0 accounts' values, 1 mosaics' rules." }),
      targetAddress: t.arg({ description: "Values of this account.", type: "Address" }),
      ...listArguments,
    },
    resolve: async (_root, args, context) => {
      const { list, filter } = splitArguments(args);
      return readList(list, async (request) =>
        searchMosaicRestrictions(await stateDb(context), given(filter), request),
      );
    },
  }),
}));
