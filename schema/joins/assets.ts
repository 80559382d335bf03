import { Account, AccountPage } from "../account.js";
import { AccountRestrictions } from "../account-restriction.js";
import { builder } from "../builder.js";
import { searchAccounts } from "../db/accounts.js";
import { searchMetadata } from "../db/metadata.js";
import { searchMosaicRestrictions } from "../db/mosaic-restrictions.js";
import type { Entry } from "../db/page.js";
import { bodyOf } from "../document.js";
import { parseId } from "../formats.js";
import { HashLock } from "../hash-lock.js";
import { type LockBody, lockOf } from "../lock.js";
import { Metadata, MetadataPage } from "../metadata.js";
import { Mosaic } from "../mosaic.js";
import { MosaicRestriction, MosaicRestrictionPage } from "../mosaic-restriction.js";
import { Multisig } from "../multisig.js";
import { AliasType, Namespace } from "../namespace.js";
import { listArguments, readList } from "../page.js";
import { SecretLock } from "../secret-lock.js";
import { addressIn, stateDb } from "../state.js";
import { Transaction } from "../transaction.js";
import { joinsOf } from "./joins.js";

const mosaicOf = (entry: Entry) => bodyOf<{ mosaic: { id: string; ownerAddress: string } }>(entry).mosaic;
const mosaicIdOf = (entry: Entry) => parseId(mosaicOf(entry).id) ?? 0n;

builder.objectFields(Mosaic, (t) => ({
  owner: t.field({
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
    type: MetadataPage,
    args: listArguments,
    resolve: (entry, list, context) => {
      const filter = { targetId: mosaicIdOf(entry), metadataType: 1 };
      return readList(list, async (request) => searchMetadata(await stateDb(context), filter, request));
    },
  }),
  restrictions: t.field({
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

builder.objectFields(Namespace, (t) => ({
  owner: t.field({
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
    type: MetadataPage,
    args: listArguments,
    resolve: (entry, list, context) => {
      const filter = { targetId: namespaceIdOf(entry), metadataType: 2 };
      return readList(list, async (request) => searchMetadata(await stateDb(context), filter, request));
    },
  }),
}));

builder.objectFields(AliasType, (t) => ({
  mosaic: t.field({
    type: Mosaic,
    nullable: true,
    resolve: ({ mosaicId }, _args, context) =>
      mosaicId === undefined ? null : joinsOf(context).mosaic.load(parseId(mosaicId) ?? 0n),
  }),
  account: t.field({
    type: Account,
    nullable: true,
    resolve: ({ address }, _args, context) =>
      address === undefined ? null : joinsOf(context).account.load(addressIn(address)),
  }),
}));

const metadataOf = (entry: Entry) =>
  bodyOf<{ metadataEntry: { sourceAddress: string; targetAddress: string } }>(entry).metadataEntry;

builder.objectFields(Metadata, (t) => ({
  source: t.field({
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(metadataOf(entry).sourceAddress)),
  }),
  target: t.field({
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(metadataOf(entry).targetAddress)),
  }),
}));

builder.objectFields(HashLock, (t) => ({
  owner: t.field({
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
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(lockOf(entry).ownerAddress)),
  }),
  recipient: t.field({
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => {
      const { recipientAddress } = lockOf<LockBody & { readonly recipientAddress: string }>(entry);
      return joinsOf(context).account.load(addressIn(recipientAddress));
    },
  }),
  mosaic: t.field({
    type: Mosaic,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).mosaic.load(parseId(lockOf(entry).mosaicId) ?? 0n),
  }),
}));

builder.objectFields(Multisig, (t) => ({
  account: t.field({
    type: Account,
    nullable: true,
    resolve: ({ address }, _args, context) => joinsOf(context).account.load(address),
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
    nullable: true,
    resolve: (entry, _args, context) => {
      const { address } = bodyOf<{ accountRestrictions: { address: string } }>(entry).accountRestrictions;
      return joinsOf(context).account.load(addressIn(address));
    },
  }),
);

builder.objectField(MosaicRestriction, "mosaic", (t) =>
  t.field({
    type: Mosaic,
    nullable: true,
    resolve: (entry, _args, context) => {
      const { mosaicId } = bodyOf<{ mosaicRestrictionEntry: { mosaicId: string } }>(entry).mosaicRestrictionEntry;
      return joinsOf(context).mosaic.load(parseId(mosaicId) ?? 0n);
    },
  }),
);
