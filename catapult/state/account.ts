import { z } from "zod";
import { type Member, type Members, object, type Write, writeItems } from "../values/body-writer.js";
import * as codec from "../values/codecs.js";
import { field, listCodec, whileSet } from "../values/codecs.js";
import { Height, HeightOrZero, numberSchema, PublicKey } from "../values/scalars.js";
import { makeStruct, type ValuesOf } from "../values/struct.js";
import { type OwnShown, ownField, stateBody, stateCodec } from "./state-codec.js";

/** An account's role in delegated harvesting. */
export const ACCOUNT_TYPE = { unlinked: 0, main: 1, remote: 2, remoteUnlinked: 3 } as const;

/** A key that votes for finalization. */
export const VOTING_KEY = makeStruct(
  { id: "AccountLinkVotingKeyDTO" },
  {
    publicKey: field(codec.publicKey, "The linked public key."),
    startEpoch: field(codec.epoch, "First epoch that the key votes in."),
    endEpoch: field(codec.epoch, "Last epoch that the key votes in."),
  },
);

/** A voting key (32 bytes) for the finalization epochs from `startEpoch` to `endEpoch`, inclusive. */
export type VotingKey = ReturnType<(typeof VOTING_KEY)["read"]>;

/** Activity buckets in the value of an account with importance. */
export const ACTIVITY_BUCKETS = 5;

/** The activity of an account between two importance blocks. */
export const ACTIVITY_BUCKET = makeStruct(
  { id: "ActivityBucketDTO", description: "Activity of an account between two importance blocks." },
  {
    startHeight: field(
      codec.height(HeightOrZero),
      "Height of the importance block that begins it; 0 for an unused bucket.",
    ),
    totalFeesPaid: field(codec.amount, "Fees that the account paid, in atomic units of the currency."),
    beneficiaryCount: field(codec.uint32Number, "Number of blocks whose beneficiary the account was."),
    rawScore: field(codec.decimal, "Raw score, from which the importance is computed."),
  },
);

/** An account's activity in the group of blocks after `startHeight`; start height 0 means empty. */
export type ActivityBucket = ReturnType<(typeof ACTIVITY_BUCKET)["read"]>;

/** An amount of a mosaic. */
export const BALANCE = makeStruct(
  { id: "Mosaic", description: "Amount of a mosaic." },
  {
    id: field(codec.mosaicId, "Id of the mosaic."),
    amount: field(codec.amount, "Balance in atomic units; never 0."),
  },
);
export type Balance = ReturnType<(typeof BALANCE)["read"]>;

const KEY_FLAG = { linked: 1, node: 2, vrf: 4 } as const;
const ALL_KEY_FLAGS = 7;
const keyFlags = codec.choice(ALL_KEY_FLAGS, z.int());
/** The flags, and the number of voting keys. */
const HEAD_SIZE = 2;

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

type KeysBody = z.infer<typeof SupplementalPublicKeysDTO>;

interface LinkedKeys {
  /** For a main account the remote account's key, and vice versa. */
  readonly linked: Buffer | undefined;
  readonly node: Buffer | undefined;
  readonly vrf: Buffer | undefined;
  readonly voting: readonly VotingKey[];
}

/** Position of the key after those of the lower flags, of keys at an offset. */
function keyAt(bytes: Buffer, at: number, flag: number): number {
  let end = at + HEAD_SIZE;
  for (let lower = 1; lower < flag; lower <<= 1) if (bytes[at]! & lower) end += codec.publicKey.size;
  return end;
}

const votingAt = (bytes: Buffer, at: number) => keyAt(bytes, at, ALL_KEY_FLAGS + 1);
const keysEnd = (bytes: Buffer, at: number) => votingAt(bytes, at) + VOTING_KEY.size * bytes[at + 1]!;

function keyMember(flag: number): Member<Buffer, { publicKey: string }> {
  const writeKey = object<Buffer, { publicKey: string }>({
    publicKey: (writer, bytes, at) => codec.publicKey.json(writer, bytes, keyAt(bytes, at, flag)),
  });
  return { write: writeKey, isPresent: (bytes, at) => (bytes[at]! & flag) !== 0 };
}

const writeVoting = object<Buffer, NonNullable<KeysBody["voting"]>>({
  publicKeys: (writer, bytes, at) =>
    writeItems(writer, VOTING_KEY.json, bytes, votingAt(bytes, at), keysEnd(bytes, at), () => VOTING_KEY.size),
});
const keyMembers: Members<Buffer, KeysBody> = {
  linked: keyMember(KEY_FLAG.linked),
  node: keyMember(KEY_FLAG.node),
  vrf: keyMember(KEY_FLAG.vrf),
  voting: { write: writeVoting, isPresent: (bytes, at) => bytes[at + 1] !== 0 },
};

const linkedKeys = ownField<LinkedKeys, OwnShown<KeysBody>>({
  schema: SupplementalPublicKeysDTO,
  decode: (reader) => {
    const flags = reader.field(keyFlags, "supplementalPublicKeysMask");
    const count = reader.uint8("votingKeysCount");
    const key = (name: keyof typeof KEY_FLAG) =>
      flags & KEY_FLAG[name] ? reader.field(codec.publicKey, `${name}PublicKey`) : undefined;
    const keys = { linked: key("linked"), node: key("node"), vrf: key("vrf") };
    return {
      ...keys,
      voting: reader.list(count, VOTING_KEY.size, "votingKeys", (name) => reader.field(VOTING_KEY, name)),
    };
  },
  encode: (writer, { linked, node, vrf, voting }) => {
    const flags = (linked ? KEY_FLAG.linked : 0) | (node ? KEY_FLAG.node : 0) | (vrf ? KEY_FLAG.vrf : 0);
    writer.uint8(flags).uint8(voting.length);
    for (const key of [linked, node, vrf]) if (key) writer.bytes(key);
    for (const key of voting) VOTING_KEY.encode(writer, key);
  },
  sizeAt: (_, bytes, at) => keysEnd(bytes, at) - at,
  json: (start) => {
    const write = object(keyMembers);
    const at: Write<Buffer, KeysBody> = (writer, bytes, from) => write(writer, bytes, start(bytes, from));
    return Object.assign(at, { view: (bytes: Buffer, from: number) => write.view!(bytes, start(bytes, from)) });
  },
});

export const ACCOUNT_FIELDS = {
  address: field(codec.address, "Address of the account.", { column: "address" }),
  addressHeight: field(codec.height(Height), "Height of the block that first named it.", { column: "address_height" }),
  publicKey: field(codec.publicKey, "Public key; zeros until the account signs something.", { column: "public_key" }),
  publicKeyHeight: field(
    codec.height(HeightOrZero),
    "Height of the block that first contained its public key; 0 while it is unknown.",
  ),
  accountType: field(
    codec.choice(
      ACCOUNT_TYPE.remoteUnlinked,
      numberSchema("AccountTypeEnum", [0, 1, 2, 3], "0 unlinked, 1 main, 2 remote, 3 remote unlinked."),
    ),
    "Role of the account: 0 unlinked, 1 main, 2 remote, 3 remote unlinked.",
    { column: "account_type" },
  ),
  /** 1 for an account with importance. */
  format: codec.choice(1, z.int()) as codec.Field<number>,
  supplementalPublicKeys: field(linkedKeys, "Keys linked to the account; each kind is absent while none is linked."),
  importance: field(
    whileSet("format", codec.decimal, 0n),
    "Importance for harvesting, an integer: those of all accounts add up to the network's total.",
    { column: "importance" },
  ),
  importanceHeight: field(
    whileSet("format", codec.height(HeightOrZero), 0),
    "Height at which the importance was computed; 0 for an account without importance.",
    { column: "importance_height" },
  ),
  activityBuckets: field(
    listCodec(ACTIVITY_BUCKET, "format", ACTIVITY_BUCKETS),
    "Activity between the newest importance blocks, the newest first.",
  ),
  mosaicsCount: codec.countCodec(codec.uint16),
  /** The network's currency first, then ascending by id. */
  mosaics: field(listCodec(BALANCE, "mosaicsCount"), "Balances above 0; the currency is first."),
} as const;

/** The state value of an account. Source: catapult's `AccountStateNonHistoricalSerializer`. */
export const ACCOUNT_CODEC = stateCodec("account", ACCOUNT_FIELDS);

export type AccountState = ValuesOf<typeof ACCOUNT_FIELDS>;

/**
 * The REST body of an account. Importances are integers, as in the reference: the published description calls them
 * decimals from 0 to 1, but clients parse integers. Source: `mappers/AccountStateMapper` of catapult's
 * `extensions/mongo`, `client/rest/src/db/CatapultDb.js`.
 */
export const ACCOUNT_BODY = stateBody(
  { id: "AccountInfoDTO", description: "State of an account.", member: "account", stateId: "AccountDTO" },
  ACCOUNT_FIELDS,
  {
    json: [
      ...["address", "addressHeight", "publicKey", "publicKeyHeight", "accountType", "supplementalPublicKeys"],
      ...["activityBuckets", "mosaics", "importance", "importanceHeight"],
    ],
  },
);
