import type { AliasBody, NamespaceBody } from "../../catapult/body/namespace.js";
import type { Entry } from "../../database/lists/page.js";
import { namespaces } from "../../database/queries/namespaces.js";
import { bodyOf, entryFields } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { namespaceNameOf } from "../graph/context.js";
import { parseId } from "../graph/formats.js";
import { members, membersOf } from "../graph/members.js";
import { listArguments, pageType, searchList } from "../graph/page.js";
import { checkKeys, stateDb } from "../graph/state.js";

const metaOf = (entry: Entry) => bodyOf<NamespaceBody>(entry).meta;
const namespaceOf = (entry: Entry) => bodyOf<NamespaceBody>(entry).namespace;

/** Ids from the root to the namespace itself, 16 hex digits each. */
function levelsOf(entry: Entry): string[] {
  const { level0, level1, level2 } = namespaceOf(entry);
  return [level0, level1, level2].filter((level) => level !== undefined);
}

export const AliasType = builder.objectRef<AliasBody>("Alias").implement({
  description: "Target of a namespace.",
  fields: (t) =>
    members(t, {
      type: ["Int", "Alias type: 0 = none, 1 = mosaic, 2 = address."],
      mosaicId: ["ArtifactId?", "Id of the mosaic, if this is the target."],
      address: ["Address?", "Address, if this is the target."],
    }),
});

export const Namespace = builder.objectRef<Entry>("Namespace").implement({
  description: "The state of a namespace, as last registered.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
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
    ...membersOf(t, metaOf, {
      active: ["Boolean", "Whether it has not ended, including its grace period."],
      index: ["Int", "Number of earlier registrations whose end is not final."],
    }),
    ...membersOf(t, namespaceOf, {
      registrationType: ["Int", "0 root, 1 child."],
      depth: ["Int", "Depth: 1 for a root, up to 3."],
      alias: [AliasType, "Target of the namespace."],
      ownerAddress: ["Address", "Address of the account that registered it."],
      startHeight: ["SafeInt", "Height of the block that registered its root."],
      endHeight: ["UInt64", "Height of the first block after its grace period; 2^64 - 1 if it never ends."],
    }),
    levels: t.field({
      type: ["ArtifactId"],
      description: "Ids from the root to the namespace itself.",
      resolve: levelsOf,
    }),
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
      const [namespace] = await namespaces.find(await stateDb(context), [id]);
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
      return namespaces.find(await stateDb(context), ids);
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
