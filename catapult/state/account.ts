import type { AccountBody, SupplementalKeysBody } from "../body/account.js";
import { hex } from "../entity/hex.js";
import { decimalText, idText } from "../json/format.js";
import { type StateReader, stateDecoder } from "./state-reader.js";

/** An account's role in delegated harvesting. */
export const ACCOUNT_TYPE = { unlinked: 0, main: 1, remote: 2, remoteUnlinked: 3 } as const;

/** A voting key (32 bytes) for the finalization epochs from `startEpoch` to `endEpoch`, inclusive. */
export interface VotingKey {
  readonly publicKey: Buffer;
  readonly startEpoch: number;
  readonly endEpoch: number;
}

/** An account's activity in the group of blocks after `startHeight`; start height 0 means empty. */
export interface ActivityBucket {
  readonly startHeight: number;
  readonly totalFeesPaid: bigint;
  readonly beneficiaryCount: number;
  readonly rawScore: bigint;
}

const HIGH_VALUE_FORMAT = 1;
const KEY_FLAG = { linked: 1, node: 2, vrf: 4 } as const;
const ALL_KEY_FLAGS = 7;
const BUCKET_COUNT = 5;
const BUCKET_SIZE = 28;
const VOTING_KEY_SIZE = 40;
const MOSAIC_SIZE = 16;

/** Decodes the state value of an account. Source: catapult's `AccountStateNonHistoricalSerializer`. */
export const decodeAccount = stateDecoder("account", (reader) => {
  const identity = {
    address: reader.address("address"),
    addressHeight: reader.safeUint64("addressHeight"),
    /** 32 zero bytes until the account signs something; then `publicKeyHeight` is above 0. */
    publicKey: reader.hash("publicKey"),
    publicKeyHeight: reader.safeUint64("publicKeyHeight"),
    /** One of `ACCOUNT_TYPE`. */
    accountType: reader.enumeration(ACCOUNT_TYPE.remoteUnlinked, "accountType"),
  };
  const isHighValue = reader.enumeration(HIGH_VALUE_FORMAT, "format") === HIGH_VALUE_FORMAT;
  return {
    ...identity,
    ...readKeys(reader),
    /** The current importance and its height; undefined for an account without importance. It may be 0. */
    importance: isHighValue
      ? { value: reader.uint64("importance.value"), height: reader.safeUint64("importance.height") }
      : undefined,
    /** Newest first: five if there is an importance, otherwise none. */
    activityBuckets: reader.list(
      isHighValue ? BUCKET_COUNT : 0,
      BUCKET_SIZE,
      "activityBuckets",
      (path): ActivityBucket => ({
        startHeight: reader.safeUint64(`${path}.startHeight`),
        totalFeesPaid: reader.uint64(`${path}.totalFeesPaid`),
        beneficiaryCount: reader.uint32(`${path}.beneficiaryCount`),
        rawScore: reader.uint64(`${path}.rawScore`),
      }),
    ),
    /** The network's currency first, then ascending by id; no amount is 0. */
    mosaics: reader.list(reader.uint16("mosaicsCount"), MOSAIC_SIZE, "mosaics", (path) => ({
      id: reader.uint64(`${path}.id`),
      amount: reader.uint64(`${path}.amount`),
    })),
  };
});

export type AccountState = ReturnType<typeof decodeAccount>;

function readKeys(reader: StateReader) {
  const flags = reader.enumeration(ALL_KEY_FLAGS, "supplementalPublicKeysMask");
  const votingKeysCount = reader.uint8("votingKeysCount");
  const key = (flag: number, field: string) => (flags & flag ? reader.hash(field) : undefined);
  return {
    /** For a main account the remote account's key, and vice versa. */
    linkedPublicKey: key(KEY_FLAG.linked, "linkedPublicKey"),
    nodePublicKey: key(KEY_FLAG.node, "nodePublicKey"),
    vrfPublicKey: key(KEY_FLAG.vrf, "vrfPublicKey"),
    votingKeys: reader.list(
      votingKeysCount,
      VOTING_KEY_SIZE,
      "votingKeys",
      (path): VotingKey => ({
        publicKey: reader.hash(`${path}.publicKey`),
        startEpoch: reader.uint32(`${path}.startEpoch`),
        endEpoch: reader.uint32(`${path}.endEpoch`),
      }),
    ),
  };
}

function supplementalPublicKeys(account: AccountState): SupplementalKeysBody {
  const { linkedPublicKey, nodePublicKey, vrfPublicKey, votingKeys } = account;
  return {
    ...(linkedPublicKey && { linked: { publicKey: hex(linkedPublicKey) } }),
    ...(nodePublicKey && { node: { publicKey: hex(nodePublicKey) } }),
    ...(vrfPublicKey && { vrf: { publicKey: hex(vrfPublicKey) } }),
    ...(votingKeys.length > 0 && {
      voting: {
        publicKeys: votingKeys.map(({ publicKey, startEpoch, endEpoch }) => ({
          publicKey: hex(publicKey),
          startEpoch,
          endEpoch,
        })),
      },
    }),
  };
}

/**
 * The REST body of an account (`AccountInfoDTO`); `id` is 24 hex digits. Importances are integers, as in the
 * reference: the published description calls them decimals from 0 to 1, but clients parse integers. Source:
 * `mappers/AccountStateMapper` of catapult's `extensions/mongo`, `client/rest/src/db/CatapultDb.js`.
 */
export function renderAccount(account: AccountState, id: string): string {
  const body: AccountBody = {
    id,
    account: {
      version: 1,
      address: hex(account.address),
      addressHeight: decimalText(account.addressHeight),
      publicKey: hex(account.publicKey),
      publicKeyHeight: decimalText(account.publicKeyHeight),
      accountType: account.accountType,
      supplementalPublicKeys: supplementalPublicKeys(account),
      activityBuckets: account.activityBuckets.map((bucket) => ({
        startHeight: decimalText(bucket.startHeight),
        totalFeesPaid: decimalText(bucket.totalFeesPaid),
        beneficiaryCount: bucket.beneficiaryCount,
        rawScore: decimalText(bucket.rawScore),
      })),
      mosaics: account.mosaics.map((mosaic) => ({ id: idText(mosaic.id), amount: decimalText(mosaic.amount) })),
      importance: decimalText(account.importance?.value ?? 0n),
      importanceHeight: decimalText(account.importance?.height ?? 0),
    },
  };
  return JSON.stringify(body);
}
