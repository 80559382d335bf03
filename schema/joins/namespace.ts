import type { NamespaceBody } from "../../catapult/body/namespace.js";
import type { Entry } from "../../database/lists/page.js";
import { searchMetadata } from "../../database/queries/metadata.js";
import { searchNamespaces } from "../../database/queries/namespaces.js";
import { searchTransactionStatements } from "../../database/queries/statements.js";
import { TransactionStatementPage } from "../chain/statement.js";
import { builder } from "../graph/builder.js";
import { bodyOf } from "../graph/document.js";
import { parseId } from "../graph/formats.js";
import { listArguments, readList } from "../graph/page.js";
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
    description: "Who registered it.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(namespaceOf(entry).ownerAddress)),
  }),
  parent: t.field({
    type: Namespace,
    nullable: true,
    description: "Null for a root.",
    resolve: (entry, _args, context) => {
      const parentId = parseId(namespaceOf(entry).parentId) ?? 0n;
      return parentId === 0n ? null : joinsOf(context).namespace.load(parentId);
    },
  }),
  metadata: t.field({
    description: "What was attached to it.",
    type: MetadataPage,
    args: listArguments,
    resolve: (entry, list, context) => {
      const filter = { targetId: namespaceIdOf(entry), metadataType: 2 };
      return readList(list, async (request) => searchMetadata(await stateDb(context), filter, request));
    },
  }),
}));

builder.objectFields(Namespace, (t) => ({
  root: t.field({
    type: Namespace,
    nullable: true,
    description: "The root that it belongs to: itself for a root.",
    resolve: (entry, _args, context) => joinsOf(context).namespace.load(rootIdOf(entry)),
  }),
  family: t.field({
    type: NamespacePage,
    description: "Its root and everything below that, itself among them.",
    args: listArguments,
    resolve: (entry, list, context) =>
      readList(list, async (request) => searchNamespaces(await stateDb(context), { level0: rootIdOf(entry) }, request)),
  }),
  receipts: t.field({
    type: TransactionStatementPage,
    description: "Statements that tell of its end.",
    args: listArguments,
    resolve: (entry, list, { db }) =>
      readList(list, (request) => searchTransactionStatements(db, { artifactId: namespaceIdOf(entry) }, request)),
  }),
}));

builder.objectFields(AliasType, (t) => ({
  mosaic: t.field({
    description: "The mosaic, if it stands for one.",
    type: Mosaic,
    nullable: true,
    resolve: ({ mosaicId }, _args, context) =>
      mosaicId === undefined ? null : joinsOf(context).mosaic.load(parseId(mosaicId) ?? 0n),
  }),
  account: t.field({
    description: "The account, if it stands for one.",
    type: Account,
    nullable: true,
    resolve: ({ address }, _args, context) =>
      address === undefined ? null : joinsOf(context).account.load(addressIn(address)),
  }),
}));
