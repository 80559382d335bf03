import { isAliasAddress } from "../../catapult/entity/address.js";
import { feeOf } from "../../catapult/entity/block.js";
import { decodeEntityId, encodeEntityId } from "../../catapult/json/entity-id.js";
import type { TransactionStatementBody } from "../../catapult/nouns/statement.js";
import type { Entry } from "../../database/lists/page.js";
import { Block } from "../chain/block.js";
import { PendingTransaction } from "../chain/pending-transaction.js";
import { ReceiptType, TransactionStatement } from "../chain/statement.js";
import { MosaicAmountType, Transaction } from "../chain/transaction.js";
import { metaOf, type TransactionFields, transactionOf } from "../chain/transaction-fields.js";
import { TransactionStatusType } from "../chain/transaction-status.js";
import { bodyOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { parseId } from "../graph/formats.js";
import { members } from "../graph/members.js";
import { addressIn } from "../graph/state.js";
import { Account } from "../state/account.js";
import { Mosaic } from "../state/mosaic.js";
import { joinsOf } from "./joins.js";

type Cosignature = NonNullable<TransactionFields["cosignatures"]>[number];

const CosignatureType = builder.objectRef<Cosignature>("Cosignature").implement({
  description: "Cosignature of an aggregate by another account.",
  fields: (t) => ({
    ...members(t, {
      version: ["UInt64", "0."],
      signerPublicKey: ["PublicKey", "Public key of the cosigner."],
      signature: ["Signature", "Signature of the aggregate's hash."],
    }),
    signer: t.field({
      description: "Account of the cosigner.",
      type: Account,
      nullable: true,
      resolve: ({ signerPublicKey }, _args, context) => joinsOf(context).accountOfKey(signerPublicKey),
    }),
  }),
});

builder.objectFields(Transaction, (t) => ({
  block: t.field({
    type: Block,
    nullable: true,
    description: "Block of the transaction.",
    resolve: ({ id }, _args, context) => joinsOf(context).block.load(decodeEntityId(id).height),
  }),
  aggregate: t.field({
    type: Transaction,
    nullable: true,
    description: "The aggregate that contains the transaction; null for a top-level one.",
    resolve: ({ id }, _args, context) => {
      const { height, index, embeddedIndex } = decodeEntityId(id);
      return embeddedIndex === 0 ? null : joinsOf(context).transaction.load(encodeEntityId(height, index));
    },
  }),
  signer: t.field({
    description: "Account of the signer's public key.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).accountOfKey(transactionOf(entry).signerPublicKey),
  }),
  recipient: t.field({
    type: Account,
    nullable: true,
    description: "Resolved recipient. Null if the type has no recipient.",
    resolve: async (entry, _args, context) => {
      const { recipientAddress } = transactionOf(entry);
      if (recipientAddress === undefined) return null;
      const address = await joinsOf(context).resolveAddress(addressIn(recipientAddress), entry.id);
      return address && joinsOf(context).account.load(address);
    },
  }),
  signerAddress: t.field({
    type: "Address",
    nullable: true,
    description: "Address of the signer's public key.",
    resolve: (entry, _args, context) => joinsOf(context).addressOfKey(transactionOf(entry).signerPublicKey),
  }),
  resolvedRecipientAddress: t.field({
    type: "Address",
    nullable: true,
    description: "Address of the recipient, resolved. Null if the type has no recipient.",
    resolve: (entry, _args, context) => {
      const { recipientAddress } = transactionOf(entry);
      return recipientAddress === undefined
        ? null
        : joinsOf(context).resolveAddress(addressIn(recipientAddress), entry.id);
    },
  }),
  fee: t.field({
    type: "UInt64",
    nullable: true,
    description: "Paid fee, atomic units of the currency; null for an embedded transaction.",
    resolve: (entry) => {
      const { size } = transactionOf(entry);
      return size === undefined ? null : feeOf(size, metaOf(entry).feeMultiplier ?? 0);
    },
  }),
  cosignatures: t.field({
    type: [CosignatureType],
    description: "Cosignatures of an aggregate; empty for other types.",
    resolve: (entry) => transactionOf(entry).cosignatures ?? [],
  }),
  statements: t.field({
    type: [TransactionStatement],
    description: "Receipts caused by the transaction; for an aggregate also those of its embedded transactions.",
    resolve: async ({ id }, _args, context) => {
      const { height, index, embeddedIndex } = decodeEntityId(id);
      const statements = await joinsOf(context).statements.load(encodeEntityId(height, index));
      if (embeddedIndex === 0) return statements;
      return statements.filter((statement) => sourceOf(statement).secondaryId === embeddedIndex);
    },
  }),
  status: t.field({
    type: TransactionStatusType,
    nullable: true,
    description: "Status of the transaction; null for an embedded transaction.",
    resolve: (entry, _args, context) => {
      const { hash } = metaOf(entry);
      return hash === undefined ? null : joinsOf(context).status.load(Buffer.from(hash, "hex"));
    },
  }),
}));

function sourceOf(entry: Entry) {
  return bodyOf<TransactionStatementBody>(entry).statement.source;
}

builder.objectFields(PendingTransaction, (t) => ({
  recipient: t.field({
    type: Account,
    nullable: true,
    description: "Recipient; null for an alias, which is not resolved yet.",
    resolve: (entry, _args, context) => {
      const { recipientAddress } = transactionOf(entry);
      if (recipientAddress === undefined || isAliasAddress(addressIn(recipientAddress))) return null;
      return joinsOf(context).account.load(addressIn(recipientAddress));
    },
  }),
  signer: t.field({
    description: "Account of the signer's public key.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).accountOfKey(transactionOf(entry).signerPublicKey),
  }),
  cosignatures: t.field({
    type: [CosignatureType],
    description: "Current cosignatures of an aggregate; empty for other types.",
    resolve: (entry) => transactionOf(entry).cosignatures ?? [],
  }),
}));

builder.objectFields(MosaicAmountType, (t) => ({
  mosaic: t.field({
    type: Mosaic,
    nullable: true,
    description: "Resolved mosaic; null for an alias in a pending transaction.",
    resolve: async ({ id, transactionId }, _args, context) => {
      const mosaicId = await joinsOf(context).resolveMosaic(parseId(id) ?? 0n, transactionId);
      return mosaicId === undefined ? null : joinsOf(context).mosaic.load(mosaicId);
    },
  }),
}));

builder.objectField(TransactionStatusType, "transaction", (t) =>
  t.field({
    type: Transaction,
    nullable: true,
    description: "The transaction itself; null while it is pending.",
    resolve: ({ hash }, _args, context) => joinsOf(context).transactionByHash.load(hash),
  }),
);

builder.objectFields(TransactionStatement, (t) => ({
  block: t.field({
    description: "Block of the statement.",
    type: Block,
    nullable: true,
    resolve: ({ id }, _args, context) => joinsOf(context).block.load(decodeEntityId(id).height),
  }),
  transaction: t.field({
    type: Transaction,
    nullable: true,
    description: "Transaction that caused the receipts; null for the block itself.",
    resolve: (entry, _args, context) => {
      const { primaryId, secondaryId } = sourceOf(entry);
      if (primaryId === 0) return null;
      const { height } = decodeEntityId(entry.id);
      return joinsOf(context).transaction.load(encodeEntityId(height, primaryId - 1, secondaryId));
    },
  }),
}));

const accountIn = (hex: string | undefined) => (hex === undefined ? undefined : addressIn(hex));

builder.objectFields(ReceiptType, (t) => ({
  mosaic: t.field({
    description: "Mosaic of the receipt.",
    type: Mosaic,
    nullable: true,
    resolve: ({ mosaicId }, _args, context) =>
      mosaicId === undefined ? null : joinsOf(context).mosaic.load(parseId(mosaicId) ?? 0n),
  }),
  sender: t.field({
    description: "Sender of the receipt.",
    type: Account,
    nullable: true,
    resolve: ({ senderAddress }, _args, context) => loadAccount(accountIn(senderAddress), joinsOf(context)),
  }),
  recipient: t.field({
    description: "Recipient of the receipt.",
    type: Account,
    nullable: true,
    resolve: ({ recipientAddress }, _args, context) => loadAccount(accountIn(recipientAddress), joinsOf(context)),
  }),
  target: t.field({
    description: "Account whose balance was changed.",
    type: Account,
    nullable: true,
    resolve: ({ targetAddress }, _args, context) => loadAccount(accountIn(targetAddress), joinsOf(context)),
  }),
}));

function loadAccount(address: Buffer | undefined, { account }: ReturnType<typeof joinsOf>) {
  return address ? account.load(address) : null;
}
