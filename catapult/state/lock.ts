import * as codec from "../values/codecs.js";
import { field } from "../values/codecs.js";
import { HeightOrZero, numberSchema } from "../values/scalars.js";
import { describedFields, type ValuesOf } from "../values/struct.js";
import { stateBody, stateCodec } from "./state-codec.js";

/** Status of a lock. One that expired stays unused. */
export const LOCK_STATUS = { unused: 0, used: 1 } as const;

/** The first fields of both kinds of locks. Source: catapult's `LockInfoSerializer`. */
const LOCK = {
  ownerAddress: field(codec.address, "Address of the account that locked the amount.", { column: "owner_address" }),
  mosaicId: field(codec.mosaicId, "Id of the locked mosaic.", { column: "mosaic_id" }),
  amount: field(codec.amount, "Locked amount in atomic units.", { column: "amount" }),
  endHeight: field(codec.height(HeightOrZero), "Height at which the lock expires, if it is not used before.", {
    column: "end_height",
  }),
  status: field(
    codec.choice(LOCK_STATUS.used, numberSchema("LockStatus", [0, 1], "0 unused, 1 used.")),
    "0 while the amount is locked, 1 once it was released.",
    { column: "status" },
  ),
} as const;

export type LockState = ValuesOf<typeof LOCK>;

/** What both locks show. */
export const LOCK_DESCRIBED = describedFields({ fields: LOCK });

export const HASH_LOCK_FIELDS = {
  ...LOCK,
  hash: field(codec.hash, "Hash of the bonded aggregate.", { column: "hash" }),
} as const;

/**
 * The state value of a hash lock: the deposit for a bonded aggregate while it is partial. Source: catapult's
 * `HashLockInfoHistorySerializer`.
 */
export const HASH_LOCK_CODEC = stateCodec("hashLock", HASH_LOCK_FIELDS);

export type HashLockState = ValuesOf<typeof HASH_LOCK_FIELDS>;

/** The REST body of a hash lock. */
export const HASH_LOCK_BODY = stateBody(
  {
    id: "HashLockInfoDTO",
    description: "A deposit for a bonded aggregate.",
    member: "lock",
    stateId: "HashLockEntryDTO",
  },
  HASH_LOCK_FIELDS,
);

export const SECRET_LOCK_FIELDS = {
  ...LOCK,
  hashAlgorithm: field(
    codec.hashAlgorithm,
    "Algorithm that turns the proof into the secret: 0 SHA3-256, 1 RIPEMD-160 of SHA-256, 2 SHA-256 twice.",
  ),
  secret: field({ ...codec.hash, scalar: "Hex" }, "Secret, 32 bytes; shorter ones are padded with zeros at the end.", {
    column: "secret",
  }),
  recipientAddress: field(codec.address, "Address of the account that receives the amount for the proof.", {
    column: "recipient_address",
  }),
} as const;

/**
 * The state value of a secret lock: an amount that the recipient gets by showing the proof of a secret. Source:
 * catapult's `SecretLockInfoHistorySerializer`.
 */
export const SECRET_LOCK_CODEC = stateCodec("secretLock", SECRET_LOCK_FIELDS);

export type SecretLockState = ValuesOf<typeof SECRET_LOCK_FIELDS>;

/** The REST body of a secret lock. */
export const SECRET_LOCK_BODY = stateBody(
  {
    id: "SecretLockInfoDTO",
    description: "An amount that is locked until a secret is proven.",
    member: "lock",
    stateId: "SecretLockEntryDTO",
  },
  SECRET_LOCK_FIELDS,
  {
    json: [...Object.keys(SECRET_LOCK_FIELDS), "compositeHash"],
    compositeHash: "Composite hash of secret and recipient.",
  },
);
