import { hashSecret } from "../../catapult/crypto/secret.js";
import { secretLockCompositeHash } from "../../catapult/state/composite-hash.js";
import { LOCK_STATUS } from "../../catapult/state/lock.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { isLockActive } from "../tables/locks.js";
import type { Publishers, RuleBook } from "./rule-book.js";
import { bytesOf } from "./wire.js";

const MAX_HASH_ALGORITHM = 2;

const PUBLISHERS = {
  secret_lock: (lock, { signerAddress: owner }, notify) => {
    const { mosaicId, amount, duration, hashAlgorithm } = lock;
    const recipient = bytesOf(lock.recipientAddress);
    notify({ kind: "accountAddress", address: recipient });
    notify({ kind: "secretLockDuration", duration });
    notify({ kind: "secretLockHashAlgorithm", hashAlgorithm });
    notify({ kind: "addressInteraction", source: owner, type: lock.type, participants: [recipient] });
    notify({ kind: "balanceDebit", sender: owner, mosaicId, amount });
    const secret = bytesOf(lock.secret);
    notify({ kind: "secretLock", owner, mosaicId, amount, duration, hashAlgorithm, secret, recipient });
    // nothing is transferred yet, but the recipient must be allowed to receive it
    notify({ kind: "balanceTransfer", sender: owner, recipient, mosaicId, amount: 0n, isDynamic: false });
  },
  secret_proof: (entity, _, notify) => {
    const { hashAlgorithm } = entity;
    const secret = bytesOf(entity.secret);
    notify({ kind: "secretLockHashAlgorithm", hashAlgorithm });
    notify({ kind: "proofSecret", hashAlgorithm, secret, proof: Buffer.from(entity.proof) });
    notify({ kind: "proofPublication", hashAlgorithm, secret, recipient: bytesOf(entity.recipientAddress) });
  },
} satisfies Partial<Publishers>;

/** Funds locked until a secret is published (catapult `plugins/txes/lock_secret`). */
export function addSecretLockRules(rules: RuleBook) {
  rules.stateless("secretLockDuration", ({ duration }, { secretLock }) =>
    duration === 0n || duration > secretLock.maxDuration ? "Failure_LockSecret_Invalid_Duration" : undefined,
  );
  rules.stateless("secretLockHashAlgorithm", ({ hashAlgorithm }) =>
    hashAlgorithm > MAX_HASH_ALGORITHM ? "Failure_LockSecret_Invalid_Hash_Algorithm" : undefined,
  );
  rules.stateless("proofSecret", ({ hashAlgorithm, secret, proof }, { secretLock }) => {
    const expected = hashSecret(hashAlgorithm, proof);
    if (!expected) return "Failure_LockSecret_Invalid_Hash_Algorithm";
    const isSizeAllowed = proof.length >= secretLock.minProofSize && proof.length <= secretLock.maxProofSize;
    if (!isSizeAllowed) return "Failure_LockSecret_Proof_Size_Out_Of_Bounds";
    return expected.equals(secret) ? undefined : "Failure_LockSecret_Secret_Mismatch";
  });
  rules.stateful("secretLock", ({ secret, recipient }, { tables, config, height, resolveAddress }) => {
    if (config.forkHeights.skipSecretLockUniquenessChecks.has(height)) return undefined;
    const lock = tables.secretLocks.get(secretLockCompositeHash(secret, resolveAddress(recipient)));
    return lock && isLockActive(lock, height) ? "Failure_LockSecret_Hash_Already_Exists" : undefined;
  });
  rules.stateful("proofPublication", ({ secret, recipient, hashAlgorithm }, { tables, height, resolveAddress }) => {
    const lock = tables.secretLocks.get(secretLockCompositeHash(secret, resolveAddress(recipient)));
    if (!lock) return "Failure_LockSecret_Unknown_Composite_Key";
    if (!isLockActive(lock, height)) return "Failure_LockSecret_Inactive_Secret";
    return lock.hashAlgorithm === hashAlgorithm ? undefined : "Failure_LockSecret_Hash_Algorithm_Mismatch";
  });

  rules.observe("secretLock", ({ owner, amount, duration, hashAlgorithm, secret, ...lock }, context) => {
    const { tables, height, statement, resolveAddress, resolveMosaic } = context;
    const mosaicId = resolveMosaic(lock.mosaicId);
    const funds = { ownerAddress: owner, mosaicId, amount };
    const endHeight = height + Number(duration);
    const terms = { hashAlgorithm, secret, recipientAddress: resolveAddress(lock.recipient) };
    tables.secretLocks.add({ ...funds, endHeight, status: LOCK_STATUS.unused, ...terms });
    statement.addBalanceChange(RECEIPT_TYPE.secret_lock_created, mosaicId, amount, owner);
  });
  rules.observe("block", (_, { tables, config, height, statement }) => {
    if (config.forkHeights.skipSecretLockExpirations.has(height)) {
      tables.secretLocks.skipExpiries(height);
      return;
    }
    const isForced = config.forkHeights.forceSecretLockExpirations.has(height);
    const expired = tables.secretLocks.expiringAt(height).filter((lock) => isForced || lock.endHeight === height);
    for (const { ownerAddress, mosaicId, amount } of expired) tables.accounts.credit(ownerAddress, mosaicId, amount);
    statement.addExpiredLocks(RECEIPT_TYPE.secret_lock_expired, expired, ({ ownerAddress }) => ownerAddress);
  });
  rules.observe("proofPublication", ({ secret, recipient }, { tables, statement, resolveAddress }) => {
    const lock = tables.secretLocks.get(secretLockCompositeHash(secret, resolveAddress(recipient)));
    if (!lock) return;
    tables.secretLocks.markUsed(lock);
    tables.accounts.credit(lock.recipientAddress, lock.mosaicId, lock.amount);
    statement.addBalanceChange(RECEIPT_TYPE.secret_lock_completed, lock.mosaicId, lock.amount, lock.recipientAddress);
  });
  return PUBLISHERS;
}
