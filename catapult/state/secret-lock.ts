import type { SecretLockBody } from "../body/lock.js";
import { hex } from "../entity/hex.js";
import { secretLockCompositeHash } from "./composite-hash.js";
import { lockFields, readLock } from "./lock.js";
import { stateDecoder } from "./state-reader.js";

const LAST_HASH_ALGORITHM = 2;

/**
 * Decodes the state value of a secret lock: an amount that the recipient gets by showing the proof of a secret. Source:
 * catapult's `SecretLockInfoHistorySerializer`.
 */
export const decodeSecretLock = stateDecoder("secretLock", (reader) => ({
  ...readLock(reader),
  /** 0: sha3-256, 1: ripemd-160 of sha-256, 2: sha-256 twice. */
  hashAlgorithm: reader.enumeration(LAST_HASH_ALGORITHM, "hashAlgorithm"),
  /** 32 bytes; shorter secrets are padded with zeros. */
  secret: reader.hash("secret"),
  recipientAddress: reader.address("recipientAddress"),
}));

export type SecretLockState = ReturnType<typeof decodeSecretLock>;

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
