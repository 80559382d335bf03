import type { AccountBody } from "../../catapult/body/account.js";
import { hex } from "../../catapult/entity/hex.js";
import type { Entry } from "../../database/lists/page.js";
import { searchBlocks } from "../../database/queries/blocks.js";
import { namespaces } from "../../database/queries/namespaces.js";
import { hashLocks, metadata, mosaicRestrictions, mosaics, secretLocks } from "../../database/queries/state-nouns.js";
import { searchTransactionStatements } from "../../database/queries/statements.js";
import { searchTransactions } from "../../database/queries/transactions.js";
import { BlockPage } from "../chain/block.js";
import { PendingGroupType, PendingTransactionPage, searchPending } from "../chain/pending-transaction.js";
import { RankedAccount } from "../chain/ranking.js";
import { TransactionStatementPage, withReceipts } from "../chain/statement.js";
import { TransactionPage } from "../chain/transaction.js";
import { bodyOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { parseId } from "../graph/formats.js";
import { listArguments, readList, searchList, splitArguments } from "../graph/page.js";
import { addressIn, stateDb } from "../graph/state.js";
import { Account, BalanceType } from "../state/account.js";
import { AccountRestrictions } from "../state/account-restriction.js";
import { HashLockPage } from "../state/hash-lock.js";
import { MetadataPage } from "../state/metadata.js";
import { Mosaic, MosaicPage } from "../state/mosaic.js";
import { MosaicRestrictionPage } from "../state/mosaic-restriction.js";
import { Multisig } from "../state/multisig.js";
import { NamespacePage } from "../state/namespace.js";
import { SecretLockPage } from "../state/secret-lock.js";
import { BalanceHistory, balanceAtHeight, balanceHistory } from "./balance-history.js";
import { cursorArguments } from "./connection.js";
import { joinsOf } from "./joins.js";

const accountOf = (entry: Entry) => bodyOf<AccountBody>(entry).account;
const addressOf = (entry: Entry) => addressIn(accountOf(entry).address);

/** The role of an account in a receipt. */
const RoleType = builder.enumType("ReceiptRole", {
  description: "Role of an account in a receipt.",
  values: {
    target: { value: "targetAddress", description: "The account's balance was changed: fees, locks." },
    sender: { value: "senderAddress", description: "The account paid another one: rental fees." },
    recipient: { value: "recipientAddress", description: "The account was paid by another one." },
  } as const,
});

const NAMES = "Names of namespaces that point to the account, such as root.child.";

builder.objectFields(RankedAccount, (t) => ({
  names: t.stringList({
    description: NAMES,
    resolve: async ({ address }, _args, context) => [...(await joinsOf(context).accountNames.load(address))],
  }),
}));

builder.objectFields(Account, (t) => ({
  names: t.stringList({
    description: NAMES,
    resolve: async (entry, _args, context) => [...(await joinsOf(context).accountNames.load(addressOf(entry)))],
  }),
  linkedAccount: t.field({
    type: Account,
    nullable: true,
    description: "For a main account its remote one, and vice versa.",
    resolve: (entry, _args, context) => {
      const { linked } = accountOf(entry).supplementalPublicKeys;
      return linked ? joinsOf(context).accountOfKey(linked.publicKey) : null;
    },
  }),
  multisig: t.field({
    type: Multisig,
    nullable: true,
    description: "Multisig entry of the account; null if it has no cosignatories and is none.",
    resolve: (entry, _args, context) => joinsOf(context).multisig.load(addressOf(entry)),
  }),
  restrictions: t.field({
    description: "Restrictions of the account; null if it never set any.",
    type: AccountRestrictions,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).accountRestrictions.load(addressOf(entry)),
  }),
  transactions: t.field({
    type: TransactionPage,
    description: "Confirmed transactions that concern the account.",
    args: {
      type: t.arg.intList({ description: "Transaction types to include." }),
      embedded: t.arg.boolean({ description: "Whether to include embedded transactions." }),
      ...listArguments,
    },
    resolve: (entry, { type: types, ...args }, { db }) =>
      searchList(searchTransactions, { ...args, address: addressOf(entry), types }, () => db),
  }),
  receipts: t.field({
    type: TransactionStatementPage,
    description: "Statements with a receipt that names the account, and of their receipts those that do.",
    args: {
      role: t.arg({
        description: "Role of the account in the receipt.",
        type: RoleType,
        defaultValue: "targetAddress" as const,
      }),
      receiptType: t.arg.intList({ description: "Receipt types to include." }),
      ...listArguments,
    },
    resolve: async (entry, { role, receiptType: receiptTypes, ...args }, { db }) => {
      const member = role ?? "targetAddress";
      const address = addressOf(entry);
      const filter = { ...args, [member]: address, receiptTypes };
      const page = await searchList(searchTransactionStatements, filter, () => db);
      return withReceipts(
        page,
        (receipt) => receipt[member] === hex(address) && (receiptTypes?.includes(receipt.type) ?? true),
      );
    },
  }),
  harvestedBlocks: t.field({
    type: BlockPage,
    description: "Blocks whose beneficiary is the account.",
    args: listArguments,
    resolve: (entry, list, { db }) =>
      searchList(searchBlocks, { ...list, beneficiaryAddress: addressOf(entry) }, () => db),
  }),
  signedBlocks: t.field({
    type: BlockPage,
    description:
      "Blocks signed by the account's own key: delegated harvesting signs with the key of the remote account.",
    args: listArguments,
    resolve: (entry, list, { db }) => {
      const signerPublicKey = Buffer.from(accountOf(entry).publicKey, "hex");
      return searchList(searchBlocks, { ...list, signerPublicKey }, () => db);
    },
  }),
  ownedMosaics: t.field({
    type: MosaicPage,
    description: "Mosaics created by the account.",
    args: listArguments,
    resolve: (entry, list, context) =>
      searchList(mosaics.search, { ...list, ownerAddress: addressOf(entry) }, () => stateDb(context)),
  }),
  namespaces: t.field({
    type: NamespacePage,
    description: "Namespaces owned by the account.",
    args: listArguments,
    resolve: (entry, list, context) =>
      searchList(namespaces.search, { ...list, ownerAddress: addressOf(entry) }, () => stateDb(context)),
  }),
  metadata: t.field({
    type: MetadataPage,
    description: "Metadata of the account and of what it owns.",
    args: listArguments,
    resolve: (entry, list, context) =>
      searchList(metadata.search, { ...list, targetAddress: addressOf(entry) }, () => stateDb(context)),
  }),
  hashLocks: t.field({
    description: "Deposits of the account for bonded aggregates.",
    type: HashLockPage,
    args: listArguments,
    resolve: (entry, list, context) =>
      searchList(hashLocks.search, { ...list, ownerAddress: addressOf(entry) }, () => stateDb(context)),
  }),
  secretLocks: t.field({
    type: SecretLockPage,
    description: "Secret locks created by the account.",
    args: listArguments,
    resolve: (entry, list, context) =>
      searchList(secretLocks.search, { ...list, ownerAddress: addressOf(entry) }, () => stateDb(context)),
  }),
  pendingTransactions: t.field({
    type: PendingTransactionPage,
    description: "Pending transactions that concern the account.",
    args: {
      group: t.arg({ type: PendingGroupType, required: true, description: "Group of pending transactions." }),
      ...listArguments,
    },
    resolve: (entry, args, { db }) => {
      const { list, filter } = splitArguments(args);
      const ofAccount = { address: addressOf(entry) };
      return readList(list, (request) => searchPending(db, filter.group, ofAccount, request));
    },
  }),
  mosaicRestrictions: t.field({
    type: MosaicRestrictionPage,
    description: "Values of the account, which the rules of mosaics are checked against.",
    args: listArguments,
    resolve: (entry, list, context) =>
      searchList(mosaicRestrictions.search, { ...list, targetAddress: addressOf(entry) }, () => stateDb(context)),
  }),
  attachedMetadata: t.field({
    type: MetadataPage,
    description: "Metadata entries created by the account, for itself and others.",
    args: listArguments,
    resolve: (entry, list, context) =>
      searchList(metadata.search, { ...list, sourceAddress: addressOf(entry) }, () => stateDb(context)),
  }),
  balanceAt: t.field({
    type: "UInt64",
    description: "Balance of a mosaic after the block at a height, atomic units.",
    args: {
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      height: t.arg({
        description: "Height of the block after which the balance is computed.",
        type: "SafeInt",
        required: true,
      }),
    },
    resolve: (entry, { mosaicId, height }, context) =>
      balanceAtHeight(context, { address: addressOf(entry), mosaicId }, height),
  }),
  balanceHistory: t.field({
    type: BalanceHistory,
    description: "Every block that changed the account's balance of a mosaic, the newest first.",
    args: {
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...cursorArguments,
    },
    resolve: (entry, { mosaicId, ...list }, context) =>
      balanceHistory(context, { address: addressOf(entry), mosaicId }, list),
  }),
}));

builder.objectFields(BalanceType, (t) => ({
  mosaic: t.field({
    description: "The mosaic of the balance.",
    type: Mosaic,
    nullable: true,
    resolve: ({ id }, _args, context) => joinsOf(context).mosaic.load(parseId(id) ?? 0n),
  }),
  names: t.stringList({
    description: "Names of namespaces that point to the mosaic, such as symbol.xym.",
    resolve: async ({ id }, _args, context) => [...(await joinsOf(context).mosaicNames.load(parseId(id) ?? 0n))],
  }),
}));
