import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { ACCOUNT_BODY, ACTIVITY_BUCKET, BALANCE, VOTING_KEY } from "../../catapult/state/account.js";
import type { Entry } from "../../database/lists/page.js";
import { type AccountOrder, findAccounts, searchAccounts } from "../../database/queries/accounts.js";
import { searchBlocks } from "../../database/queries/blocks.js";
import { readNetworkIdentifier } from "../../database/queries/network.js";
import {
  hashLocks,
  metadata,
  mosaicRestrictions,
  mosaics,
  namespaces,
  secretLocks,
} from "../../database/queries/state-lists.js";
import { searchTransactionStatements } from "../../database/queries/statements.js";
import { searchTransactions } from "../../database/queries/transactions.js";
import { PendingGroupType, PendingTransactionPage, searchPending } from "../chain/pending-transaction.js";
import { TransactionStatementPage, withReceipts } from "../chain/statement.js";
import { typeArguments, withTypes } from "../chain/transaction-type.js";
import { invalidArgument, serviceUnavailable } from "../errors/errors.js";
import { given } from "../graph/arguments.js";
import { accountOf, entryFields } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { parseId } from "../graph/formats.js";
import { joinsOf, keyAccountField, mosaicField } from "../graph/joins.js";
import { declaredFields } from "../graph/members.js";
import { listArguments, pageType, readList, searchList, splitArguments } from "../graph/page.js";
import { addressIn, checkKeys, MAX_LARGE_KEYS, ownEntries, stateDb } from "../graph/state.js";
import {
  Account,
  AccountRestrictions,
  BlockPage,
  HashLockPage,
  MetadataPage,
  MosaicPage,
  MosaicRestrictionPage,
  Multisig,
  NamespacePage,
  SecretLockPage,
  TransactionPage,
} from "../graph/types.js";

type Fields = ReturnType<typeof accountOf>;
type VotingKey = NonNullable<Fields["supplementalPublicKeys"]["voting"]>["publicKeys"][number];

const keysOf = (entry: Entry) => accountOf(entry).supplementalPublicKeys;
const addressOf = (entry: Entry) => addressIn(accountOf(entry).address);

const BalanceType = builder.objectRef<Fields["mosaics"][number]>("Balance").implement({
  description: "Balance of an account's mosaic.",
  fields: (t) => ({
    ...declaredFields(t, (balance) => balance, [BALANCE.described], { id: "mosaicId" }),
    mosaic: mosaicField(t, "The mosaic of the balance.", ({ id }) => id),
    names: t.stringList({
      description: "Names of namespaces that point to the mosaic, such as symbol.xym.",
      resolve: async ({ id }, _args, context) => [...(await joinsOf(context).mosaicNames.load(parseId(id) ?? 0n))],
    }),
  }),
});

const ActivityBucketType = builder.objectRef<Fields["activityBuckets"][number]>("ActivityBucket").implement({
  description: "Activity of an account between two importance blocks.",
  fields: (t) => declaredFields(t, (bucket) => bucket, [ACTIVITY_BUCKET.described]),
});

const VotingKeyType = builder.objectRef<VotingKey>("VotingKey").implement({
  description: "A voting key for finalization, for an inclusive range of epochs.",
  fields: (t) => declaredFields(t, (key) => key, [VOTING_KEY.described]),
});

/** The role of an account in a receipt. */
const RoleType = builder.enumType("ReceiptRole", {
  description: "Role of an account in a receipt.",
  values: {
    target: { value: "targetAddress", description: "The account's balance was changed: fees, locks." },
    sender: { value: "senderAddress", description: "The account paid another one: rental fees." },
    recipient: { value: "recipientAddress", description: "The account was paid by another one." },
  } as const,
});

Account.implement({
  description: "The state of an account.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
    ...declaredFields(t, accountOf, [ACCOUNT_BODY.described]),
    activityBuckets: t.field({
      type: [ActivityBucketType],
      description: "Activity between the newest importance blocks.",
      resolve: (entry) => accountOf(entry).activityBuckets,
    }),
    linkedPublicKey: t.field({
      type: "PublicKey",
      nullable: true,
      description: "For a main account the key of its remote one, and vice versa.",
      resolve: (entry) => keysOf(entry).linked?.publicKey,
    }),
    nodePublicKey: t.field({
      description: "Public key of the linked node.",
      type: "PublicKey",
      nullable: true,
      resolve: (entry) => keysOf(entry).node?.publicKey,
    }),
    vrfPublicKey: t.field({
      description: "VRF key, which proves that it may harvest.",
      type: "PublicKey",
      nullable: true,
      resolve: (entry) => keysOf(entry).vrf?.publicKey,
    }),
    votingKeys: t.field({
      description: "Voting keys for finalization.",
      type: [VotingKeyType],
      resolve: (entry) => keysOf(entry).voting?.publicKeys ?? [],
    }),
    mosaics: t.field({
      description: "Balances, one per mosaic.",
      type: [BalanceType],
      resolve: (entry) => accountOf(entry).mosaics,
    }),
    names: t.stringList({
      description: "Names of namespaces that point to the account, such as root.child.",
      resolve: async (entry, _args, context) => [...(await joinsOf(context).accountNames.load(addressOf(entry)))],
    }),
    linkedAccount: keyAccountField(
      t,
      "For a main account its remote one, and vice versa.",
      (entry) => keysOf(entry).linked?.publicKey,
    ),
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
        ...typeArguments,
        embedded: t.arg.boolean({ description: "Whether to include embedded transactions." }),
        ...listArguments,
      },
      resolve: (entry, args, { db }) =>
        searchList(searchTransactions, { ...withTypes(args), address: addressOf(entry) }, () => db),
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
      description: "Blocks that the account harvested: its own key signed them, or that of its remote account.",
      args: listArguments,
      resolve: (entry, list, { db }) =>
        searchList(searchBlocks, { ...list, harvesterAddress: addressOf(entry) }, () => db),
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
    ownedMosaics: ownEntries(t, MosaicPage, "Mosaics created by the account.", mosaics, (entry) => ({
      ownerAddress: addressOf(entry),
    })),
    namespaces: ownEntries(t, NamespacePage, "Namespaces owned by the account.", namespaces, (entry) => ({
      ownerAddress: addressOf(entry),
    })),
    metadata: ownEntries(t, MetadataPage, "Metadata of the account and of what it owns.", metadata, (entry) => ({
      targetAddress: addressOf(entry),
    })),
    hashLocks: ownEntries(t, HashLockPage, "Deposits of the account for bonded aggregates.", hashLocks, (entry) => ({
      address: addressOf(entry),
    })),
    secretLocks: ownEntries(t, SecretLockPage, "Secret locks created by the account.", secretLocks, (entry) => ({
      address: addressOf(entry),
    })),
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
    mosaicRestrictions: ownEntries(
      t,
      MosaicRestrictionPage,
      "Values of the account, which the rules of mosaics are checked against.",
      mosaicRestrictions,
      (entry) => ({ targetAddress: addressOf(entry) }),
    ),
    attachedMetadata: ownEntries(
      t,
      MetadataPage,
      "Metadata entries created by the account, for itself and others.",
      metadata,
      (entry) => ({ sourceAddress: addressOf(entry) }),
    ),
  }),
});

const AccountOrderType = builder.enumType("AccountOrder", {
  description: "Sort fields of accounts.",
  values: {
    id: { value: "id", description: "By the order in which the index first saw the accounts." },
    balance: { value: "balance", description: "By the balance of mosaicId; equal amounts by id." },
  } as const satisfies Record<AccountOrder, object>,
});

const AccountPage = pageType("AccountPage", Account);

builder.queryFields((t) => ({
  account: t.field({
    type: Account,
    nullable: true,
    description: "An account by address or public key.",
    args: {
      address: t.arg({ description: "Address of the account. Specify either address or publicKey.", type: "Address" }),
      publicKey: t.arg({
        description: "Public key of the account. Specify either address or publicKey.",
        type: "PublicKey",
      }),
    },
    resolve: async (_root, { address, publicKey }, context) => {
      if (!address === !publicKey) throw invalidArgument("either address or publicKey must be given");
      const db = await stateDb(context);
      const [account] = await findAccounts(db, address ? [address] : await addressesOf(context, [publicKey as Buffer]));
      return account ?? null;
    },
  }),
  accountsByIds: t.field({
    type: [Account],
    description: "Accounts by addresses or public keys, in the order of the request; missing ones are omitted.",
    args: {
      addresses: t.arg({
        description: "Addresses, at most 100. Specify either addresses or publicKeys.",
        type: ["Address"],
      }),
      publicKeys: t.arg({
        description: "Public keys, at most 100. Specify either addresses or publicKeys.",
        type: ["PublicKey"],
      }),
    },
    resolve: async (_root, { addresses, publicKeys }, context) => {
      if (!addresses === !publicKeys) throw invalidArgument("either addresses or publicKeys must be given");
      const name = addresses ? "addresses" : "publicKeys";
      const keys = addresses ?? publicKeys ?? [];
      checkKeys(name, keys, MAX_LARGE_KEYS);
      const db = await stateDb(context);
      return findAccounts(db, addresses ?? (await addressesOf(context, publicKeys ?? [])));
    },
  }),
  accounts: t.field({
    type: AccountPage,
    description: "Accounts that match all given conditions.",
    args: {
      address: t.arg({ description: "Address of a single account.", type: "Address" }),
      mosaicId: t.arg({ type: "ArtifactId", description: "Accounts that own some of this mosaic." }),
      orderBy: t.arg({ type: AccountOrderType, description: "Sort field; id by default." }),
      offsetBalance: t.arg({
        type: "UInt64",
        description: "With orderBy balance, in place of an offset: pages are counted from behind all with this amount.",
      }),
      ...listArguments,
    },
    resolve: (_root, args, context) => {
      const { list, filter } = splitArguments(args);
      const { orderBy = "id", offsetBalance, ...accounts } = given(filter);
      return readList(list, async (request) => {
        if (orderBy === "balance" && accounts.mosaicId === undefined) {
          throw invalidArgument("orderBy=balance must be given together with mosaicId");
        }
        if (offsetBalance !== undefined && (orderBy !== "balance" || request.offset)) {
          throw invalidArgument("offsetBalance must be given together with the order by balance, and without offset");
        }
        return searchAccounts(await stateDb(context), accounts, { ...request, offsetBalance }, orderBy);
      });
    },
  }),
}));

/** Addresses (24 bytes) of public keys in the indexed network. */
async function addressesOf({ db }: Context, publicKeys: readonly Buffer[]): Promise<Buffer[]> {
  const network = await readNetworkIdentifier(db);
  if (network === undefined) throw serviceUnavailable("nothing is indexed yet: try again");
  return publicKeys.map((publicKey) => addressOfPublicKey(publicKey, network));
}
