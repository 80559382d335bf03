import { type AliasBody, NAMESPACE_BODY, type NamespaceBody } from "../../catapult/state/namespace.js";
import type { Entry } from "../../database/lists/page.js";
import { namespaces } from "../../database/queries/namespaces.js";
import { metadata } from "../../database/queries/state-nouns.js";
import { statementsOfArtifact, TransactionStatementPage } from "../chain/statement.js";
import { bodyOf, entryFields, levelsOf, namespaceOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { parseId } from "../graph/formats.js";
import { accountField, joinsOf, mosaicField, namespaceField } from "../graph/joins.js";
import { declaredFields, members, membersOf } from "../graph/members.js";
import { listArguments, searchList } from "../graph/page.js";
import { ownEntries, queryByKeys, stateDb } from "../graph/state.js";
import { MetadataPage, Namespace, NamespacePage } from "../graph/types.js";

const metaOf = (entry: Entry) => bodyOf<NamespaceBody>(entry).meta;
const namespaceIdOf = (entry: Entry) => parseId(levelsOf(entry).at(-1) ?? "") ?? 0n;
const rootIdOf = (entry: Entry) => parseId(namespaceOf(entry).level0) ?? 0n;

const AliasType = builder.objectRef<AliasBody>("Alias").implement({
  description: "Target of a namespace.",
  fields: (t) => ({
    ...members(t, {
      type: ["Int", "Alias type: 0 = none, 1 = mosaic, 2 = address."],
      mosaicId: ["ArtifactId?", "Id of the mosaic, if this is the target."],
      address: ["Address?", "Address, if this is the target."],
    }),
    mosaic: mosaicField(t, "Target of the namespace, if it is a mosaic.", ({ mosaicId }) => mosaicId),
    account: accountField(t, "Target of the namespace, if it is an account.", ({ address }) => address),
  }),
});

Namespace.implement({
  description: "The state of a namespace, as last registered.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
    namespaceId: t.field({ description: "Id of the namespace.", type: "ArtifactId", resolve: namespaceIdOf }),
    name: t.string({
      nullable: true,
      description: "Full name, such as symbol.xym.",
      resolve: async (entry, _args, context) => {
        const ids = levelsOf(entry).map((level) => parseId(level) as bigint);
        const names = await Promise.all(ids.map((id) => joinsOf(context).namespaceName.load(id)));
        return names.every((name) => name !== undefined) ? names.join(".") : null;
      },
    }),
    ...membersOf(t, metaOf, {
      active: ["Boolean", "Whether it has not ended, including its grace period."],
      index: ["Int", "Number of earlier registrations whose end is not final."],
    }),
    ...declaredFields(t, namespaceOf, [NAMESPACE_BODY.described]),
    alias: t.field({
      type: AliasType,
      description: "Target of the namespace.",
      resolve: (entry) => namespaceOf(entry).alias,
    }),
    levels: t.field({
      type: ["ArtifactId"],
      description: "Ids from the root to the namespace itself.",
      resolve: levelsOf,
    }),
    owner: accountField(t, "Account that registered the namespace.", (entry) => namespaceOf(entry).ownerAddress),
    parent: namespaceField(t, "Parent namespace; null for a root.", (entry) =>
      namespaceOf(entry).depth === 1 ? undefined : namespaceOf(entry).parentId,
    ),
    root: namespaceField(t, "Root of the namespace: itself for a root.", rootIdOf),
    metadata: ownEntries(t, MetadataPage, "Metadata of the namespace.", metadata, (entry) => ({
      targetId: namespaceIdOf(entry),
      metadataType: 2,
    })),
    family: ownEntries(
      t,
      NamespacePage,
      "The root namespace and all its children, including this one.",
      namespaces,
      (entry) => ({ level0: rootIdOf(entry) }),
    ),
    receipts: t.field({
      type: TransactionStatementPage,
      description: "Statements about the namespace's end, with its receipts.",
      args: listArguments,
      resolve: (entry, list, { db }) => statementsOfArtifact(db, namespaceIdOf(entry), list),
    }),
  }),
});

queryByKeys(
  "namespacesByIds",
  Namespace,
  "Namespaces in the order of the request, including ended ones until the end is final; missing ones are omitted.",
  ["ids", "ArtifactId", "Ids of namespaces"],
  namespaces,
);

builder.queryFields((t) => ({
  namespace: t.field({
    type: Namespace,
    nullable: true,
    description: "A namespace, including an ended one until the end is final.",
    args: { id: t.arg({ description: "Id of the namespace.", type: "ArtifactId", required: true }) },
    resolve: async (_root, { id }, context) => {
      const [namespace] = await namespaces.find(await stateDb(context), [id]);
      return namespace ?? null;
    },
  }),
  namespaces: t.field({
    type: NamespacePage,
    description: "Namespaces that match all given conditions, in the order in which the index first saw them.",
    args: {
      ownerAddress: t.arg({ description: "Address of the account that registered them.", type: "Address" }),
      registrationType: t.arg.int({ description: "0 root, 1 child." }),
      level0: t.arg({ type: "ArtifactId", description: "Id of a root namespace: matches it and all its children." }),
      aliasType: t.arg.int({ description: "Alias type: 0 = none, 1 = mosaic, 2 = address." }),
      ...listArguments,
    },
    resolve: (_root, args, context) => searchList(namespaces.search, args, () => stateDb(context)),
  }),
}));
