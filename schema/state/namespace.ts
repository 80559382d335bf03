import { type AliasBody, NAMESPACE_BODY, type NamespaceBody } from "../../catapult/state/namespace.js";
import type { Entry } from "../../database/lists/page.js";
import { metadata, namespaces } from "../../database/queries/state-lists.js";
import { statementsOfArtifact, TransactionStatementPage } from "../chain/statement.js";
import { bodyOf, entryFields, namespaceOf, readLevels } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { parseId } from "../graph/formats.js";
import { accountField, loadersOf, mosaicField, namespaceField } from "../graph/loaders.js";
import { declaredFields, makeMembers, members } from "../graph/members.js";
import { listArguments } from "../graph/page.js";
import { ownEntries, stateDb, stateQueries } from "../graph/state.js";
import { MetadataPage, Namespace, NamespacePage } from "../graph/types.js";

const metaOf = (entry: Entry) => bodyOf<NamespaceBody>(entry).meta;
const readNamespaceId = (entry: Entry) => parseId(readLevels(entry).at(-1) ?? "") ?? 0n;
const readRootId = (entry: Entry) => parseId(namespaceOf(entry).level0) ?? 0n;

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
    namespaceId: t.field({ description: "Id of the namespace.", type: "ArtifactId", resolve: readNamespaceId }),
    name: t.string({
      nullable: true,
      description: "Full name, such as symbol.xym.",
      resolve: async (entry, _args, context) => {
        const ids = readLevels(entry).map((level) => parseId(level) as bigint);
        const names = await Promise.all(ids.map((id) => loadersOf(context).namespaceName.load(id)));
        return names.every((name) => name !== undefined) ? names.join(".") : null;
      },
    }),
    ...makeMembers(t, metaOf, {
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
      resolve: readLevels,
    }),
    owner: accountField(t, "Account that registered the namespace.", (entry) => namespaceOf(entry).ownerAddress),
    parent: namespaceField(t, "Parent namespace; null for a root.", (entry) =>
      namespaceOf(entry).depth === 1 ? undefined : namespaceOf(entry).parentId,
    ),
    root: namespaceField(t, "Root of the namespace: itself for a root.", readRootId),
    metadata: ownEntries(t, MetadataPage, "Metadata of the namespace.", metadata, (entry) => ({
      targetId: readNamespaceId(entry),
      metadataType: 2,
    })),
    family: ownEntries(
      t,
      NamespacePage,
      "The root namespace and all its children, including this one.",
      namespaces,
      (entry) => ({ level0: readRootId(entry) }),
    ),
    receipts: t.field({
      type: TransactionStatementPage,
      description: "Statements about the namespace's end, with its receipts.",
      args: listArguments,
      resolve: (entry, list, { db }) => statementsOfArtifact(db, readNamespaceId(entry), list),
    }),
  }),
});

stateQueries(namespaces, Namespace, NamespacePage);

builder.queryField("namespace", (t) =>
  t.field({
    type: Namespace,
    nullable: true,
    description: "A namespace, including an ended one until the end is final.",
    args: { id: t.arg({ description: "Id of the namespace.", type: "ArtifactId", required: true }) },
    resolve: async (_root, { id }, context) => (await namespaces.find(await stateDb(context), [id]))[0] ?? null,
  }),
);
