import type { AccountBody } from "../../catapult/body/account.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import type { Entry } from "../../database/lists/page.js";
import { type AccountOrder, findAccounts, searchAccounts } from "../../database/queries/accounts.js";
import { readNetworkIdentifier } from "../../database/queries/network.js";
import { given } from "../graph/arguments.js";
import { bodyOf, entryFields } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { members, membersOf } from "../graph/members.js";
import { listArguments, pageType, readList, splitArguments } from "../graph/page.js";
import { checkKeys, MAX_LARGE_KEYS, stateDb } from "../graph/state.js";
import { invalidArgument, serviceUnavailable } from "../services/errors.js";

type Fields = AccountBody["account"];
type VotingKey = NonNullable<Fields["supplementalPublicKeys"]["voting"]>["publicKeys"][number];
type ActivityBucket = Fields["activityBuckets"][number];
type Balance = Fields["mosaics"][number];

const accountOf = (entry: Entry) => bodyOf<AccountBody>(entry).account;
const keysOf = (entry: Entry) => accountOf(entry).supplementalPublicKeys;

export const BalanceType = builder.objectRef<Balance>("Balance").implement({
  description: "Balance of an account's mosaic.",
  fields: (t) =>
    members(t, {
      mosaicId: ["ArtifactId", "Id of the mosaic.", "id"],
      amount: ["UInt64", "Balance in atomic units; never 0."],
    }),
});

const ActivityBucketType = builder.objectRef<ActivityBucket>("ActivityBucket").implement({
  description: "Activity of an account between two importance blocks.",
  fields: (t) =>
    members(t, {
      startHeight: ["SafeInt", "Height of the first block."],
      totalFeesPaid: ["UInt64", "Fees paid, atomic units of the currency mosaic."],
      beneficiaryCount: ["SafeInt", "Number of blocks whose beneficiary it was."],
      rawScore: ["UInt64", "Raw score, from which its importance is computed."],
    }),
});

const VotingKeyType = builder.objectRef<VotingKey>("VotingKey").implement({
  description: "A voting key for finalization, for an inclusive range of epochs.",
  fields: (t) =>
    members(t, {
      publicKey: ["PublicKey", "Public key."],
      startEpoch: ["SafeInt", "First epoch."],
      endEpoch: ["SafeInt", "Last epoch."],
    }),
});

export const Account = builder.objectRef<Entry>("Account").implement({
  description: "The state of an account.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
    ...membersOf(t, accountOf, {
      address: ["Address", "Address of the account."],
      addressHeight: ["SafeInt", "Height of the block that first named it."],
      publicKey: ["PublicKey", "Public key; zeros until the account signs something."],
      publicKeyHeight: ["SafeInt", "Height of the block that first contained its public key; 0 while it is unknown."],
      accountType: ["Int", "Account type: 0 unlinked, 1 main, 2 remote, 3 remote that is unlinked."],
      importance: ["UInt64", "Importance for harvesting: those of all accounts add up to the network's total."],
      importanceHeight: [
        "SafeInt",
        "Height at which the importance was computed; 0 for an account without importance.",
      ],
      activityBuckets: [[ActivityBucketType], "Activity between the newest importance blocks."],
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
  }),
});

const AccountOrderType = builder.enumType("AccountOrder", {
  description: "Sort fields of accounts.",
  values: {
    id: { value: "id", description: "By the order in which the index first saw the accounts." },
    balance: { value: "balance", description: "By the balance of mosaicId; equal amounts by id." },
  } as const satisfies Record<AccountOrder, object>,
});

export const AccountPage = pageType("AccountPage", Account);

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
