import { hex } from "../entity/hex.js";
import * as form from "../values/forms.js";
import { member } from "../values/forms.js";
import { HeightOrZero, LockHashAlgorithmEnum, numberOf } from "../values/scalars.js";
import { secretLockCompositeHash } from "./composite-hash.js";
import * as part from "./noun.js";
import { bodyOf, codecOf, membersOf, shownOf, type ValuesOf, WITH_ID } from "./noun.js";

/** Status of a lock. One that expired stays unused. */
export const LOCK_STATUS = { unused: 0, used: 1 } as const;

/** The first parts of both kinds of locks. Source: catapult's `LockInfoSerializer`. */
const LOCK = {
  ownerAddress: member(part.address, "Address of the account that locked the amount."),
  mosaicId: member(part.mosaicId, "Id of the locked mosaic."),
  amount: member(part.amount, "Locked amount in atomic units."),
  endHeight: member(part.height(HeightOrZero), "Height at which the lock expires, if it is not used before."),
  status: member(
    part.choice(LOCK_STATUS.used, numberOf("LockStatus", [0, 1], "0 unused, 1 used.")),
    "0 while the amount is locked, 1 once it was released.",
  ),
} as const;

export type LockState = ValuesOf<typeof LOCK>;

/** What both locks show. */
export const LOCK_SHOWN = shownOf(membersOf(LOCK));

const HASH_LOCK = { ...LOCK, hash: member(part.hash, "Hash of the bonded aggregate.") } as const;

/**
 * The state value of a hash lock: the deposit for a bonded aggregate while it is partial. Source: catapult's
 * `HashLockInfoHistorySerializer`.
 */
export const HASH_LOCK_CODEC = codecOf("hashLock", HASH_LOCK);

export type HashLockState = ValuesOf<typeof HASH_LOCK>;

/** The REST body of a hash lock. */
export const HASH_LOCK_BODY = bodyOf(
  {
    id: "HashLockInfoDTO",
    description: "A deposit for a bonded aggregate.",
    member: "lock",
    stateId: "HashLockEntryDTO",
    beside: WITH_ID,
  },
  membersOf(HASH_LOCK),
);

const SECRET_LOCK = {
  ...LOCK,
  hashAlgorithm: member(
    part.choice(2, LockHashAlgorithmEnum),
    "Algorithm that turns the proof into the secret: 0 SHA3-256, 1 RIPEMD-160 of SHA-256, 2 SHA-256 twice.",
  ),
  secret: member({ ...part.hash, scalar: "Hex" }, "Secret, 32 bytes; shorter ones are padded with zeros at the end."),
  recipientAddress: member(part.address, "Address of the account that receives the amount for the proof."),
} as const;

/**
 * The state value of a secret lock: an amount that the recipient gets by showing the proof of a secret. Source:
 * catapult's `SecretLockInfoHistorySerializer`.
 */
export const SECRET_LOCK_CODEC = codecOf("secretLock", SECRET_LOCK);

export type SecretLockState = ValuesOf<typeof SECRET_LOCK>;

/** The REST body of a secret lock. */
export const SECRET_LOCK_BODY = bodyOf(
  {
    id: "SecretLockInfoDTO",
    description: "An amount that is locked until a secret is proven.",
    member: "lock",
    stateId: "SecretLockEntryDTO",
    beside: WITH_ID,
  },
  {
    ...membersOf(SECRET_LOCK),
    compositeHash: {
      ...member(form.hash, "Composite hash of secret and recipient."),
      from: ({ secret, recipientAddress }: SecretLockState) => hex(secretLockCompositeHash(secret, recipientAddress)),
    },
  },
);
