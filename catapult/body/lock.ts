import { z } from "zod";
import {
  AddressHex,
  Amount,
  type BodyOf,
  Hash256,
  HeightOrZero,
  LockHashAlgorithmEnum,
  MosaicId,
  numberOf,
  ObjectId,
  StateVersion,
} from "../values/scalars.js";

const lockShape = {
  version: StateVersion,
  ownerAddress: AddressHex,
  mosaicId: MosaicId,
  amount: Amount,
  endHeight: HeightOrZero.describe("Height at which the lock expires."),
  status: numberOf("LockStatus", [0, 1], "0 unused, 1 used."),
};

const Lock = z.object(lockShape);

/** Common members of the bodies of both kinds of locks. */
export type LockFields = BodyOf<typeof Lock>;

export const HashLockInfoDTO = z
  .object({
    id: ObjectId,
    lock: z
      .object({ ...lockShape, hash: Hash256.describe("Hash of the bonded aggregate.") })
      .meta({ id: "HashLockEntryDTO" }),
  })
  .meta({ id: "HashLockInfoDTO", description: "A deposit for a bonded aggregate." });

/** The REST body of a hash lock. */
export type HashLockBody = BodyOf<typeof HashLockInfoDTO>;

export const SecretLockInfoDTO = z
  .object({
    id: ObjectId,
    lock: z
      .object({
        ...lockShape,
        hashAlgorithm: LockHashAlgorithmEnum,
        secret: Hash256.describe("The secret; shorter ones are padded with zeros at the end."),
        recipientAddress: AddressHex,
        compositeHash: Hash256.describe("Hash of secret and recipient."),
      })
      .meta({ id: "SecretLockEntryDTO" }),
  })
  .meta({ id: "SecretLockInfoDTO", description: "An amount that is locked until a secret is proven." });

/** The REST body of a secret lock. */
export type SecretLockBody = BodyOf<typeof SecretLockInfoDTO>;
