import type { SecretLockBody } from "../body/lock.js";
import { hex } from "../entity/hex.js";
import { secretLockCompositeHash } from "./composite-hash.js";
import { type LockState, lockFields, readLock } from "./lock.js";
import { StateReader } from "./state-reader.js";

/** An amount that the recipient gets by showing the proof of a secret. */
export interface SecretLockState extends LockState {
  /** 0: sha3-256, 1: ripemd-160 of sha-256, 2: sha-256 twice. */
  readonly hashAlgorithm: number;
  /** 32 bytes; shorter secrets are padded with zeros. */
  readonly secret: Buffer;
  readonly recipientAddress: Buffer;
}

const LAST_HASH_ALGORITHM = 2;

/**
 * Decodes the state value of a secret lock, which fills `value` exactly.
 * Source: catapult's `SecretLockInfoHistorySerializer`. Throws `EntityError` naming the field.
 */
export function decodeSecretLock(value: Buffer): SecretLockState {
  const reader = new StateReader(value, "secretLock");
  const lock = {
    ...readLock(reader),
    hashAlgorithm: reader.enumeration(LAST_HASH_ALGORITHM, "hashAlgorithm"),
    secret: reader.hash("secret"),
    recipientAddress: reader.address("recipientAddress"),
  };
  reader.end();
  return lock;
}

/** The REST body of a secret lock (`SecretLockInfoDTO`); `id` is 24 hex digits. */
export function renderSecretLock(lock: SecretLockState, id: string): string {
  const body: SecretLockBody = {
    id,
    lock: {
      ...lockFields(lock),
      hashAlgorithm: lock.hashAlgorithm,
      secret: hex(lock.secret),
      recipientAddress: hex(lock.recipientAddress),
      compositeHash: hex(secretLockCompositeHash(lock.secret, lock.recipientAddress)),
    },
  };
  return JSON.stringify(body);
}
