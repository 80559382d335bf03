import type { AccountRestrictionsBody } from "../../catapult/body/account-restriction.js";
import type { MetadataBody } from "../../catapult/body/metadata.js";
import type { MosaicRestrictionBody } from "../../catapult/body/mosaic-restriction.js";
import { METADATA_TYPE } from "../../catapult/state/composite-hash.js";
import type { Entry } from "../../database/lists/page.js";
import { Transaction } from "../chain/transaction.js";
import { bodyOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { parseId } from "../graph/formats.js";
import { addressIn } from "../graph/state.js";
import { Account } from "../state/account.js";
import { AccountRestrictions } from "../state/account-restriction.js";
import { HashLock } from "../state/hash-lock.js";
import { hashLockOf, secretLockOf } from "../state/lock.js";
import { Metadata } from "../state/metadata.js";
import { Mosaic } from "../state/mosaic.js";
import { MosaicRestriction } from "../state/mosaic-restriction.js";
import { Multisig } from "../state/multisig.js";
import { Namespace } from "../state/namespace.js";
import { SecretLock } from "../state/secret-lock.js";
import { PastHolder } from "./balance-history.js";
import { joinsOf } from "./joins.js";

const metadataOf = (entry: Entry) => bodyOf<MetadataBody>(entry).metadataEntry;

/** The id of the target, if it is of this type. */
function targetOf(entry: Entry, type: number): bigint | undefined {
  const { targetId, metadataType } = metadataOf(entry);
  return metadataType === type ? parseId(targetId) : undefined;
}

builder.objectFields(Metadata, (t) => ({
  mosaic: t.field({
    type: Mosaic,
    nullable: true,
    description: "Target of the entry, if it is a mosaic.",
    resolve: (entry, _args, context) => {
      const id = targetOf(entry, METADATA_TYPE.mosaic);
      return id === undefined ? null : joinsOf(context).mosaic.load(id);
    },
  }),
  namespace: t.field({
    type: Namespace,
    nullable: true,
    description: "Target of the entry, if it is a namespace.",
    resolve: (entry, _args, context) => {
      const id = targetOf(entry, METADATA_TYPE.namespace);
      return id === undefined ? null : joinsOf(context).namespace.load(id);
    },
  }),
  source: t.field({
    description: "Account that created the entry.",
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
    description: "The locked mosaic.",
    resolve: (entry, _args, context) => joinsOf(context).mosaic.load(parseId(hashLockOf(entry).mosaicId) ?? 0n),
  }),
  owner: t.field({
    description: "Account that locked the amount.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(hashLockOf(entry).ownerAddress)),
  }),
  aggregate: t.field({
    type: Transaction,
    nullable: true,
    description: "Aggregate of the lock, once it is in a block.",
    resolve: (entry, _args, context) => {
      const { hash } = hashLockOf(entry);
      return joinsOf(context).transactionByHash.load(Buffer.from(hash, "hex"));
    },
  }),
}));

builder.objectFields(SecretLock, (t) => ({
  owner: t.field({
    description: "Account that locked the amount.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(secretLockOf(entry).ownerAddress)),
  }),
  recipient: t.field({
    description: "Account that receives the amount for the proof.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => {
      const { recipientAddress } = secretLockOf(entry);
      return joinsOf(context).account.load(addressIn(recipientAddress));
    },
  }),
  mosaic: t.field({
    description: "The locked mosaic.",
    type: Mosaic,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).mosaic.load(parseId(secretLockOf(entry).mosaicId) ?? 0n),
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
    description: "Multisig entries of the accounts that it cosigns for.",
    resolve: async ({ multisigAddresses }, _args, context) => {
      const entries = await Promise.all(multisigAddresses.map((address) => joinsOf(context).multisig.load(address)));
      return entries.filter((entry) => entry !== undefined);
    },
  }),
  cosignatories: t.field({
    type: [Multisig],
    description: "Multisig entries of its cosignatories.",
    resolve: async ({ cosignatoryAddresses }, _args, context) => {
      const entries = await Promise.all(cosignatoryAddresses.map((address) => joinsOf(context).multisig.load(address)));
      return entries.filter((entry) => entry !== undefined);
    },
  }),
}));

builder.objectField(AccountRestrictions, "account", (t) =>
  t.field({
    type: Account,
    description: "Account with the restrictions.",
    nullable: true,
    resolve: (entry, _args, context) => {
      const { address } = bodyOf<AccountRestrictionsBody>(entry).accountRestrictions;
      return joinsOf(context).account.load(addressIn(address));
    },
  }),
);

builder.objectField(MosaicRestriction, "target", (t) =>
  t.field({
    type: Account,
    nullable: true,
    description: "Account with the values; null for the mosaic's rules.",
    resolve: (entry, _args, context) => {
      const { mosaicRestrictionEntry: restriction } = bodyOf<MosaicRestrictionBody>(entry);
      return "targetAddress" in restriction
        ? joinsOf(context).account.load(addressIn(restriction.targetAddress))
        : null;
    },
  }),
);

builder.objectField(PastHolder, "account", (t) =>
  t.field({
    type: Account,
    nullable: true,
    description: "Current state of the account.",
    resolve: ({ address }, _args, context) => joinsOf(context).account.load(address),
  }),
);

builder.objectField(MosaicRestriction, "mosaic", (t) =>
  t.field({
    type: Mosaic,
    description: "The restricted mosaic.",
    nullable: true,
    resolve: (entry, _args, context) => {
      const { mosaicId } = bodyOf<MosaicRestrictionBody>(entry).mosaicRestrictionEntry;
      return joinsOf(context).mosaic.load(parseId(mosaicId) ?? 0n);
    },
  }),
);
