import { Account, AccountPage } from "../account.js";
import { AccountRestrictions } from "../account-restriction.js";
import { given } from "../arguments.js";
import { PastHolder } from "../balance-history.js";
import { builder } from "../builder.js";
import { searchAccounts } from "../db/accounts.js";
import { searchMetadata } from "../db/metadata.js";
import { searchMosaicRestrictions } from "../db/mosaic-restrictions.js";
import { searchNamespaces } from "../db/namespaces.js";
import type { Entry } from "../db/page.js";
import { searchTransactionStatements } from "../db/statements.js";
import { searchTransactions } from "../db/transactions.js";
import { bodyOf } from "../document.js";
import { parseId } from "../formats.js";
import { HashLock } from "../hash-lock.js";
import { type LockBody, lockOf } from "../lock.js";
import { Metadata, MetadataPage } from "../metadata.js";
import { Mosaic } from "../mosaic.js";
import { MosaicRestriction, MosaicRestrictionPage } from "../mosaic-restriction.js";
import { Multisig } from "../multisig.js";
import { AliasType, Namespace, NamespacePage } from "../namespace.js";
import { listArguments, readList, splitArguments } from "../page.js";
import { SecretLock } from "../secret-lock.js";
import { addressIn, stateDb } from "../state.js";
import { TransactionStatementPage } from "../statement.js";
import { Transaction, TransactionPage } from "../transaction.js";
import { joinsOf } from "./joins.js";

const mosaicOf = (entry: Entry) => bodyOf<{ mosaic: { id: string; ownerAddress: string } }>(entry).mosaic;
const mosaicIdOf = (entry: Entry) => parseId(mosaicOf(entry).id) ?? 0n;

builder.objectFields(Mosaic, (t) => ({
  owner: t.field({
    description: "Who defined it.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(mosaicOf(entry).ownerAddress)),
  }),
  names: t.stringList({
    description: "Namespaces that stand for it, such as symbol.xym.",
    resolve: async (entry, _args, context) => [...(await joinsOf(context).mosaicNames.load(mosaicIdOf(entry)))],
  }),
  holders: t.field({
    type: AccountPage,
    description: "Who has some of it, by how much: the one with the most first, unless the order is asc.",
    args: listArguments,
    resolve: (entry, list, context) =>
      readList(list, async (request) =>
        searchAccounts(await stateDb(context), { mosaicId: mosaicIdOf(entry) }, request, "balance"),
      ),
  }),
  metadata: t.field({
    description: "What was attached to it.",
    type: MetadataPage,
    args: listArguments,
    resolve: (entry, list, context) => {
      const filter = { targetId: mosaicIdOf(entry), metadataType: 1 };
      return readList(list, async (request) => searchMetadata(await stateDb(context), filter, request));
    },
  }),
  transactions: t.field({
    type: TransactionPage,
    description: "Confirmed transfers of it, as written: not those by a namespace that stands for it.",
    args: {
      embedded: t.arg.boolean({ description: "With those embedded in aggregates." }),
      ...listArguments,
    },
    resolve: (entry, args, { db }) => {
      const { list, filter } = splitArguments(args);
      const ofMosaic = { transferMosaicId: mosaicIdOf(entry), ...given(filter) };
      return readList(list, (request) => searchTransactions(db, ofMosaic, request));
    },
  }),
  receipts: t.field({
    type: TransactionStatementPage,
    description: "Statements that tell of its end.",
    args: listArguments,
    resolve: (entry, list, { db }) =>
      readList(list, (request) => searchTransactionStatements(db, { artifactId: mosaicIdOf(entry) }, request)),
  }),
  restrictions: t.field({
    description: "Its rules, and the values of accounts that they are held against.",
    type: MosaicRestrictionPage,
    args: listArguments,
    resolve: (entry, list, context) =>
      readList(list, async (request) =>
        searchMosaicRestrictions(await stateDb(context), { mosaicId: mosaicIdOf(entry) }, request),
      ),
  }),
}));

interface NamespaceBody {
  readonly namespace: {
    readonly level0: string;
    readonly level1?: string;
    readonly level2?: string;
    readonly parentId: string;
    readonly ownerAddress: string;
  };
}

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

interface MetadataBody {
  readonly metadataEntry: {
    readonly sourceAddress: string;
    readonly targetAddress: string;
    readonly targetId: string;
    readonly metadataType: number;
  };
}

const METADATA_TYPE = { mosaic: 1, namespace: 2 } as const;
const metadataOf = (entry: Entry) => bodyOf<MetadataBody>(entry).metadataEntry;

/** The id of what the value is attached to, if that is of a type. */
function targetOf(entry: Entry, type: number): bigint | undefined {
  const { targetId, metadataType } = metadataOf(entry);
  return metadataType === type ? parseId(targetId) : undefined;
}

builder.objectFields(Metadata, (t) => ({
  mosaic: t.field({
    type: Mosaic,
    nullable: true,
    description: "The mosaic that it is attached to, if it is one.",
    resolve: (entry, _args, context) => {
      const id = targetOf(entry, METADATA_TYPE.mosaic);
      return id === undefined ? null : joinsOf(context).mosaic.load(id);
    },
  }),
  namespace: t.field({
    type: Namespace,
    nullable: true,
    description: "The namespace that it is attached to, if it is one.",
    resolve: (entry, _args, context) => {
      const id = targetOf(entry, METADATA_TYPE.namespace);
      return id === undefined ? null : joinsOf(context).namespace.load(id);
    },
  }),
  source: t.field({
    description: "Who attached it.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(metadataOf(entry).sourceAddress)),
  }),
  target: t.field({
    description: "The account, or the owner of the mosaic or namespace.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(metadataOf(entry).targetAddress)),
  }),
}));

builder.objectFields(HashLock, (t) => ({
  mosaic: t.field({
    type: Mosaic,
    nullable: true,
    description: "What is held back.",
    resolve: (entry, _args, context) => joinsOf(context).mosaic.load(parseId(lockOf(entry).mosaicId) ?? 0n),
  }),
  owner: t.field({
    description: "Whose amount it was.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(lockOf(entry).ownerAddress)),
  }),
  aggregate: t.field({
    type: Transaction,
    nullable: true,
    description: "The aggregate that it was made for, once it is in a block.",
    resolve: (entry, _args, context) => {
      const { hash } = lockOf<LockBody & { readonly hash: string }>(entry);
      return joinsOf(context).transactionByHash.load(Buffer.from(hash, "hex"));
    },
  }),
}));

builder.objectFields(SecretLock, (t) => ({
  owner: t.field({
    description: "Whose amount it was.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(lockOf(entry).ownerAddress)),
  }),
  recipient: t.field({
    description: "Who gets it for the proof.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => {
      const { recipientAddress } = lockOf<LockBody & { readonly recipientAddress: string }>(entry);
      return joinsOf(context).account.load(addressIn(recipientAddress));
    },
  }),
  mosaic: t.field({
    description: "What is held back.",
    type: Mosaic,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).mosaic.load(parseId(lockOf(entry).mosaicId) ?? 0n),
  }),
}));

builder.objectFields(Multisig, (t) => ({
  account: t.field({
    description: "The account itself.",
    type: Account,
    nullable: true,
    resolve: ({ address }, _args, context) => joinsOf(context).account.load(address),
  }),
  multisigs: t.field({
    type: [Multisig],
    description: "The entries of those for whom it signs.",
    resolve: async ({ multisigAddresses }, _args, context) => {
      const entries = await Promise.all(multisigAddresses.map((address) => joinsOf(context).multisig.load(address)));
      return entries.filter((entry) => entry !== undefined);
    },
  }),
  cosignatories: t.field({
    type: [Multisig],
    description: "The entries of those who sign for it.",
    resolve: async ({ cosignatoryAddresses }, _args, context) => {
      const entries = await Promise.all(cosignatoryAddresses.map((address) => joinsOf(context).multisig.load(address)));
      return entries.filter((entry) => entry !== undefined);
    },
  }),
}));

builder.objectField(AccountRestrictions, "account", (t) =>
  t.field({
    type: Account,
    description: "Whose they are.",
    nullable: true,
    resolve: (entry, _args, context) => {
      const { address } = bodyOf<{ accountRestrictions: { address: string } }>(entry).accountRestrictions;
      return joinsOf(context).account.load(addressIn(address));
    },
  }),
);

builder.objectField(MosaicRestriction, "target", (t) =>
  t.field({
    type: Account,
    nullable: true,
    description: "Whose values they are; null for the mosaic's rules.",
    resolve: (entry, _args, context) => {
      const { targetAddress } = bodyOf<{ mosaicRestrictionEntry: { targetAddress?: string } }>(
        entry,
      ).mosaicRestrictionEntry;
      return targetAddress === undefined ? null : joinsOf(context).account.load(addressIn(targetAddress));
    },
  }),
);

builder.objectField(PastHolder, "account", (t) =>
  t.field({
    type: Account,
    nullable: true,
    description: "The account as it is now.",
    resolve: ({ address }, _args, context) => joinsOf(context).account.load(address),
  }),
);

builder.objectField(MosaicRestriction, "mosaic", (t) =>
  t.field({
    type: Mosaic,
    description: "The mosaic.",
    nullable: true,
    resolve: (entry, _args, context) => {
      const { mosaicId } = bodyOf<{ mosaicRestrictionEntry: { mosaicId: string } }>(entry).mosaicRestrictionEntry;
      return joinsOf(context).mosaic.load(parseId(mosaicId) ?? 0n);
    },
  }),
);
