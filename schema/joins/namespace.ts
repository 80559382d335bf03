import type { NamespaceBody } from "../../catapult/body/namespace.js";
import type { Entry } from "../../database/lists/page.js";
import { namespaces } from "../../database/queries/namespaces.js";
import { metadata } from "../../database/queries/state-nouns.js";
import { statementsOfArtifact, TransactionStatementPage } from "../chain/statement.js";
import { bodyOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { parseId } from "../graph/formats.js";
import { listArguments, searchList } from "../graph/page.js";
import { addressIn, stateDb } from "../graph/state.js";
import { Account } from "../state/account.js";
import { MetadataPage } from "../state/metadata.js";
import { Mosaic } from "../state/mosaic.js";
import { AliasType, Namespace, NamespacePage } from "../state/namespace.js";
import { joinsOf } from "./joins.js";

const namespaceOf = (entry: Entry) => bodyOf<NamespaceBody>(entry).namespace;

function namespaceIdOf(entry: Entry): bigint {
  const { level0, level1, level2 } = namespaceOf(entry);
  return parseId(level2 ?? level1 ?? level0) ?? 0n;
}

const rootIdOf = (entry: Entry) => parseId(namespaceOf(entry).level0) ?? 0n;

builder.objectFields(Namespace, (t) => ({
  owner: t.field({
    description: "Account that registered the namespace.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(namespaceOf(entry).ownerAddress)),
  }),
  parent: t.field({
    type: Namespace,
    nullable: true,
    description: "Parent namespace; null for a root.",
    resolve: (entry, _args, context) => {
      const parentId = parseId(namespaceOf(entry).parentId) ?? 0n;
      return parentId === 0n ? null : joinsOf(context).namespace.load(parentId);
    },
  }),
  metadata: t.field({
    description: "Metadata of the namespace.",
    type: MetadataPage,
    args: listArguments,
    resolve: (entry, list, context) =>
      searchList(metadata.search, { ...list, targetId: namespaceIdOf(entry), metadataType: 2 }, () => stateDb(context)),
  }),
}));

builder.objectFields(Namespace, (t) => ({
  root: t.field({
    type: Namespace,
    nullable: true,
    description: "Root of the namespace: itself for a root.",
    resolve: (entry, _args, context) => joinsOf(context).namespace.load(rootIdOf(entry)),
  }),
  family: t.field({
    type: NamespacePage,
    description: "The root namespace and all its children, including this one.",
    args: listArguments,
    resolve: (entry, list, context) =>
      searchList(namespaces.search, { ...list, level0: rootIdOf(entry) }, () => stateDb(context)),
  }),
  receipts: t.field({
    type: TransactionStatementPage,
    description: "Statements about the namespace's end, with its receipts.",
    args: listArguments,
    resolve: (entry, list, { db }) => statementsOfArtifact(db, namespaceIdOf(entry), list),
  }),
}));

builder.objectFields(AliasType, (t) => ({
  mosaic: t.field({
    description: "Target of the namespace, if it is a mosaic.",
    type: Mosaic,
    nullable: true,
    resolve: ({ mosaicId }, _args, context) =>
      mosaicId === undefined ? null : joinsOf(context).mosaic.load(parseId(mosaicId) ?? 0n),
  }),
  account: t.field({
    description: "Target of the namespace, if it is an account.",
    type: Account,
    nullable: true,
    resolve: ({ address }, _args, context) =>
      address === undefined ? null : joinsOf(context).account.load(addressIn(address)),
  }),
}));
