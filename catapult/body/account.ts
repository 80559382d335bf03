import { z } from "zod";
import {
  AddressHex,
  Amount,
  type BodyOf,
  FinalizationEpoch,
  Height,
  HeightOrZero,
  Mosaic,
  numberOf,
  ObjectId,
  PublicKey,
  StateVersion,
  UInt32,
  UInt64,
} from "../values/scalars.js";

const LinkedKey = z.object({ publicKey: PublicKey }).meta({ id: "AccountLinkPublicKeyDTO" });

const AccountLinkVotingKeyDTO = z
  .object({
    publicKey: PublicKey,
    startEpoch: FinalizationEpoch.describe("First epoch that the key votes in."),
    endEpoch: FinalizationEpoch.describe("Last epoch that the key votes in."),
  })
  .meta({ id: "AccountLinkVotingKeyDTO" });

const SupplementalPublicKeysDTO = z
  .object({
    linked: LinkedKey.describe("For a main account its remote account, and vice versa.").optional(),
    node: LinkedKey.describe("The node that is linked to the account.").optional(),
    vrf: LinkedKey.describe("The key of the account's VRF proofs.").optional(),
    voting: z
      .object({ publicKeys: z.array(AccountLinkVotingKeyDTO) })
      .meta({ id: "AccountLinkVotingKeysDTO" })
      .optional(),
  })
  .meta({ id: "SupplementalPublicKeysDTO" });

/** The linked keys in an account's body. */
export type SupplementalKeysBody = BodyOf<typeof SupplementalPublicKeysDTO>;

const ActivityBucketDTO = z
  .object({
    startHeight: HeightOrZero.describe("Height of the importance block that begins it; 0 for an unused bucket."),
    totalFeesPaid: Amount,
    beneficiaryCount: UInt32.describe("Blocks whose beneficiary the account was."),
    rawScore: UInt64.describe("Score that the importance is calculated from."),
  })
  .meta({ id: "ActivityBucketDTO", description: "Activity of an account between two importance blocks." });

export const AccountDTO = z
  .object({
    version: StateVersion,
    address: AddressHex,
    addressHeight: Height.describe("Height at which the address was first used."),
    publicKey: PublicKey.describe("Zeros until the account has signed a transaction."),
    publicKeyHeight: HeightOrZero.describe("Height at which the public key was first used; 0 for never."),
    accountType: numberOf("AccountTypeEnum", [0, 1, 2, 3], "0 unlinked, 1 main, 2 remote, 3 remote unlinked."),
    supplementalPublicKeys: SupplementalPublicKeysDTO,
    activityBuckets: z.array(ActivityBucketDTO).describe("Newest first."),
    mosaics: z.array(Mosaic).describe("Balances above 0; the currency is first."),
    importance: UInt64.describe("Share in harvesting: an integer, of the chain's total importance."),
    importanceHeight: HeightOrZero.describe("Height at which the importance was calculated; 0 for never."),
  })
  .meta({ id: "AccountDTO" });

export const AccountInfoDTO = z
  .object({ id: ObjectId, account: AccountDTO })
  .meta({ id: "AccountInfoDTO", description: "State of an account." });

/** The REST body of an account. */
export type AccountBody = BodyOf<typeof AccountInfoDTO>;
