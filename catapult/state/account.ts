import { z } from "zod";
import { hex } from "../entity/hex.js";
import * as form from "../values/forms.js";
import { member } from "../values/forms.js";
import { Height, HeightOrZero, numberOf, PublicKey } from "../values/scalars.js";
import * as part from "./noun.js";
import {
  bodyOf,
  codecOf,
  count16,
  knownCount,
  list,
  membersOf,
  record,
  type ShownPart,
  type ValuesOf,
  WITH_ID,
} from "./noun.js";

/** An account's role in delegated harvesting. */
export const ACCOUNT_TYPE = { unlinked: 0, main: 1, remote: 2, remoteUnlinked: 3 } as const;

const VOTING_KEY_PARTS = {
  publicKey: member(part.publicKey, "The linked public key."),
  startEpoch: member(part.number(form.epoch), "First epoch that the key votes in."),
  endEpoch: member(part.number(form.epoch), "Last epoch that the key votes in."),
} as const;
const VOTING_KEY_SIZE = 40;

/** A key that votes for finalization. */
export const VOTING_KEY = record({ id: "AccountLinkVotingKeyDTO" }, VOTING_KEY_PARTS);

/** A voting key (32 bytes) for the finalization epochs from `startEpoch` to `endEpoch`, inclusive. */
export type VotingKey = ValuesOf<typeof VOTING_KEY_PARTS>;

const BUCKET_PARTS = {
  startHeight: member(
    part.height(HeightOrZero),
    "Height of the importance block that begins it; 0 for an unused bucket.",
  ),
  totalFeesPaid: member(part.amount, "Fees that the account paid, in atomic units of the currency."),
  beneficiaryCount: member(part.uint32, "Number of blocks whose beneficiary the account was."),
  rawScore: member(part.decimal, "Raw score, from which the importance is computed."),
} as const;
export const ACTIVITY_BUCKET_SIZE = 28;
/** Activity buckets in the value of an account with importance. */
export const ACTIVITY_BUCKETS = 5;

/** The activity of an account between two importance blocks. */
export const ACTIVITY_BUCKET = record(
  { id: "ActivityBucketDTO", description: "Activity of an account between two importance blocks." },
  BUCKET_PARTS,
);

/** An account's activity in the group of blocks after `startHeight`; start height 0 means empty. */
export type ActivityBucket = ValuesOf<typeof BUCKET_PARTS>;

const BALANCE_PARTS = {
  id: member(part.mosaicId, "Id of the mosaic."),
  amount: member(part.amount, "Balance in atomic units; never 0."),
} as const;

/** An amount of a mosaic. */
export const BALANCE = record({ id: "Mosaic", description: "Amount of a mosaic." }, BALANCE_PARTS);
export type Balance = ValuesOf<typeof BALANCE_PARTS>;
const BALANCE_SIZE = 16;

const KEY_FLAG = { linked: 1, node: 2, vrf: 4 } as const;
const ALL_KEY_FLAGS = 7;

const LinkedKey = z
  .object({ publicKey: PublicKey.describe("The linked public key.") })
  .meta({ id: "AccountLinkPublicKeyDTO" });

const SupplementalPublicKeysDTO = z
  .object({
    linked: LinkedKey.describe("For a main account its remote account, and vice versa.").optional(),
    node: LinkedKey.describe("The node that is linked to the account.").optional(),
    vrf: LinkedKey.describe("The key of the account's VRF proofs.").optional(),
    voting: z
      .object({ publicKeys: z.array(VOTING_KEY.schema).describe("Registered voting keys.") })
      .meta({ id: "AccountLinkVotingKeysDTO" })
      .describe("Keys with which the account votes for finalization.")
      .optional(),
  })
  .meta({ id: "SupplementalPublicKeysDTO" });

interface LinkedKeys {
  /** For a main account the remote account's key, and vice versa. */
  readonly linked: Buffer | undefined;
  readonly node: Buffer | undefined;
  readonly vrf: Buffer | undefined;
  readonly voting: readonly VotingKey[];
}

const keyBody = (key: Buffer | undefined) => key && { publicKey: hex(key) };

const linkedKeys: ShownPart<LinkedKeys, z.infer<typeof SupplementalPublicKeysDTO>> = {
  schema: SupplementalPublicKeysDTO,
  scalar: undefined,
  read: (reader) => {
    const flags = reader.enumeration(ALL_KEY_FLAGS, "supplementalPublicKeysMask");
    const count = reader.uint8("votingKeysCount");
    const key = (name: keyof typeof KEY_FLAG) =>
      flags & KEY_FLAG[name] ? reader.field(form.publicKey, `${name}PublicKey`) : undefined;
    const voting = list(
      VOTING_KEY,
      VOTING_KEY_SIZE,
      knownCount(() => count),
    );
    return { linked: key("linked"), node: key("node"), vrf: key("vrf"), voting: voting.read(reader, "votingKeys", {}) };
  },
  write: (writer, { linked, node, vrf, voting }, values) => {
    const flags = (linked ? KEY_FLAG.linked : 0) | (node ? KEY_FLAG.node : 0) | (vrf ? KEY_FLAG.vrf : 0);
    writer.uint8(flags).uint8(voting.length);
    for (const key of [linked, node, vrf]) if (key) writer.bytes(key);
    for (const key of voting) VOTING_KEY.write(writer, key, values);
  },
  json: ({ linked, node, vrf, voting }) => ({
    linked: keyBody(linked),
    node: keyBody(node),
    vrf: keyBody(vrf),
    voting: voting.length > 0 ? { publicKeys: voting.map((one) => VOTING_KEY.json(one)) } : undefined,
  }),
};

/** A part that accounts with an importance have; for the others it is 0. */
function ofImportance<Value, Json>(of: ShownPart<Value, Json>, none: Value): ShownPart<Value, Json> {
  return {
    ...of,
    read: (reader, path, before) => (before.format === 1 ? of.read(reader, path, before) : none),
    write: (writer, value, values) => {
      if (values.format === 1) of.write(writer, value, values);
    },
  };
}

const PARTS = {
  address: member(part.address, "Address of the account."),
  addressHeight: member(part.height(Height), "Height of the block that first named it."),
  publicKey: member(part.publicKey, "Public key; zeros until the account signs something."),
  publicKeyHeight: member(
    part.height(HeightOrZero),
    "Height of the block that first contained its public key; 0 while it is unknown.",
  ),
  accountType: member(
    part.choice(
      ACCOUNT_TYPE.remoteUnlinked,
      numberOf("AccountTypeEnum", [0, 1, 2, 3], "0 unlinked, 1 main, 2 remote, 3 remote unlinked."),
    ),
    "Role of the account: 0 unlinked, 1 main, 2 remote, 3 remote unlinked.",
  ),
  /** 1 for an account with importance. */
  format: {
    read: (reader, path) => reader.enumeration(1, path),
    write: (writer, value) => writer.uint8(value),
  } satisfies part.Part<number>,
  supplementalPublicKeys: member(linkedKeys, "Keys linked to the account; each kind is absent while none is linked."),
  importance: member(
    ofImportance(part.decimal, 0n),
    "Importance for harvesting, an integer: those of all accounts add up to the network's total.",
  ),
  importanceHeight: member(
    ofImportance(part.height(HeightOrZero), 0),
    "Height at which the importance was computed; 0 for an account without importance.",
  ),
  activityBuckets: member(
    list(
      ACTIVITY_BUCKET,
      ACTIVITY_BUCKET_SIZE,
      knownCount(({ format }) => (format === 1 ? ACTIVITY_BUCKETS : 0)),
    ),
    "Activity between the newest importance blocks, the newest first.",
  ),
  /** The network's currency first, then ascending by id. */
  mosaics: member(list(BALANCE, BALANCE_SIZE, count16), "Balances above 0; the currency is first."),
};

/** The state value of an account. Source: catapult's `AccountStateNonHistoricalSerializer`. */
export const ACCOUNT_CODEC = codecOf("account", PARTS);

export type AccountState = ValuesOf<typeof PARTS>;

const { importance, importanceHeight, ...others } = membersOf(PARTS);

/**
 * The REST body of an account. Importances are integers, as in the reference: the published description calls them
 * decimals from 0 to 1, but clients parse integers. Source: `mappers/AccountStateMapper` of catapult's
 * `extensions/mongo`, `client/rest/src/db/CatapultDb.js`.
 */
export const ACCOUNT_BODY = bodyOf(
  {
    ...{ id: "AccountInfoDTO", description: "State of an account.", member: "account", stateId: "AccountDTO" },
    beside: WITH_ID,
  },
  { ...others, importance, importanceHeight },
);
