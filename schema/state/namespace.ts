import type { AliasBody, NamespaceBody } from "../../catapult/body/namespace.js";
import type { Entry } from "../../database/lists/page.js";
import { findNamespaces, searchNamespaces } from "../../database/queries/namespaces.js";
import { bodyOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { namespaceNameOf } from "../graph/context.js";
import { parseId } from "../graph/formats.js";
import { listArguments, pageType, searchList } from "../graph/page.js";
import { addressIn, checkKeys, stateDb } from "../graph/state.js";

const metaOf = (entry: Entry) => bodyOf<NamespaceBody>(entry).meta;
const namespaceOf = (entry: Entry) => bodyOf<NamespaceBody>(entry).namespace;

/** Ids from the root to the namespace itself, 16 hex digits each. */
function levelsOf(entry: Entry): string[] {
  const { level0, level1, level2 } = namespaceOf(entry);
  return [level0, level1, level2].filter((level) => level !== undefined);
}

export const AliasType = builder.objectRef<AliasBody>("Alias").implement({
  description: "Target of a namespace.",
  fields: (t) => ({
    type: t.exposeInt("type", { description: "Alias type: 0 = none, 1 = mosaic, 2 = address." }),
    mosaicId: t.expose("mosaicId", {
      description: "Id of the mosaic, if this is the target.",
      type: "ArtifactId",
      nullable: true,
    }),
    address: t.field({
      description: "Address, if this is the target.",
      type: "Address",
      nullable: true,
      resolve: ({ address }) => (address === undefined ? null : addressIn(address)),
    }),
  }),
});

export const Namespace = builder.objectRef<Entry>("Namespace").implement({
  description: "The state of a namespace, as last registered.",
  fields: (t) => ({
    id: t.expose("id", { type: "EntityId", description: "Id of the entry in the list." }),
    namespaceId: t.field({
      description: "Id of the namespace.",
      type: "ArtifactId",
      resolve: (entry) => levelsOf(entry).at(-1) as string,
    }),
    name: t.string({
      nullable: true,
      description: "Full name, such as symbol.xym.",
      resolve: async (entry, _args, context) => {
        const ids = levelsOf(entry).map((level) => parseId(level) as bigint);
        const names = await Promise.all(ids.map((id) => namespaceNameOf(context).load(id)));
        return names.every((name) => name !== undefined) ? names.join(".") : null;
      },
    }),
    active: t.boolean({
      description: "Whether it has not ended, including its grace period.",
      resolve: (entry) => metaOf(entry).active,
    }),
    index: t.int({
      description: "Number of earlier registrations whose end is not final.",
      resolve: (entry) => metaOf(entry).index,
    }),
    registrationType: t.int({
      description: "0 root, 1 child.",
      resolve: (entry) => namespaceOf(entry).registrationType,
    }),
    depth: t.int({ description: "Depth: 1 for a root, up to 3.", resolve: (entry) => namespaceOf(entry).depth }),
    levels: t.field({
      type: ["ArtifactId"],
      description: "Ids from the root to the namespace itself.",
      resolve: levelsOf,
    }),
    alias: t.field({
      description: "Target of the namespace.",
      type: AliasType,
      resolve: (entry) => namespaceOf(entry).alias,
    }),
    ownerAddress: t.field({
      description: "Address of the account that registered it.",
      type: "Address",
      resolve: (entry) => addressIn(namespaceOf(entry).ownerAddress),
    }),
    startHeight: t.field({
      description: "Height of the block that registered its root.",
      type: "SafeInt",
      resolve: (entry) => Number(namespaceOf(entry).startHeight),
    }),
    endHeight: t.field({
      type: "UInt64",
      description: "Height of the first block after its grace period; 2^64 - 1 if it never ends.",
      resolve: (entry) => namespaceOf(entry).endHeight,
    }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("body", { description: "The REST body as JSON text." }),
  }),
});

export const NamespacePage = pageType("NamespacePage", Namespace);

builder.queryFields((t) => ({
  namespace: t.field({
    type: Namespace,
    nullable: true,
    description: "A namespace, including an ended one until the end is final.",
    args: { id: t.arg({ description: "Id of the namespace.", type: "ArtifactId", required: true }) },
    resolve: async (_root, { id }, context) => {
      const [namespace] = await findNamespaces(await stateDb(context), [id]);
      return namespace ?? null;
    },
  }),
  namespacesByIds: t.field({
    type: [Namespace],
    description:
      "Namespaces in the order of the request, including ended ones until the end is final; missing ones are omitted.",
    args: { ids: t.arg({ description: "Ids of namespaces, at most 1000.", type: ["ArtifactId"], required: true }) },
    resolve: async (_root, { ids }, context) => {
      checkKeys("ids", ids);
      return findNamespaces(await stateDb(context), ids);
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
    resolve: (_root, args, context) => searchList(searchNamespaces, args, () => stateDb(context)),
  }),
}));
