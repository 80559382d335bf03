import { MOSAIC_RESTRICTION_BODY } from "../../catapult/state/mosaic-restriction.js";
import { mosaicRestrictions } from "../../database/queries/state-lists.js";
import { entryFields, readMosaicRestriction } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { accountField, mosaicField } from "../graph/loaders.js";
import { declaredFields } from "../graph/members.js";
import { stateQueries } from "../graph/state.js";
import { MosaicRestriction, MosaicRestrictionPage } from "../graph/types.js";

type Value = ReturnType<typeof readMosaicRestriction>["restrictions"][number];

const RestrictionType = builder.objectRef<Value>("MosaicRestrictionValue").implement({
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

MosaicRestriction.implement({
  description: "The rules of a mosaic, or the values of an account that are checked against them.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
    ...declaredFields(t, readMosaicRestriction, MOSAIC_RESTRICTION_BODY.described),
    restrictions: t.field({
      type: [RestrictionType],
      description: "Restrictions by key.",
      resolve: (entry) => readMosaicRestriction(entry).restrictions,
    }),
    target: accountField(
      t,
      "Account with the values; null for the mosaic's rules.",
      (entry) => readMosaicRestriction(entry).targetAddress,
    ),
    mosaic: mosaicField(t, "The restricted mosaic.", (entry) => readMosaicRestriction(entry).mosaicId),
  }),
});

stateQueries(mosaicRestrictions, MosaicRestriction, MosaicRestrictionPage);
