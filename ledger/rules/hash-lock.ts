import { LOCK_STATUS } from "../../catapult/state/lock.js";
import { RECEIPT_TYPE, TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { isLockActive } from "../tables/locks.js";
import type { Publishers, RuleBook } from "./rule-book.js";
import { bytesOf } from "./wire.js";

const AGGREGATE_BONDED = TRANSACTION_TYPE.aggregate_bonded;

const PUBLISHERS = {
  hash_lock: ({ mosaicId, amount, duration, hash }, { signerAddress: owner }, notify) => {
    notify({ kind: "hashLockDuration", duration });
    notify({ kind: "hashLockMosaic", mosaicId, amount });
    notify({ kind: "balanceDebit", sender: owner, mosaicId, amount });
    notify({ kind: "hashLock", owner, mosaicId, amount, duration, hash: bytesOf(hash) });
  },
} satisfies Partial<Publishers>;

/** Deposits for bonded aggregates (catapult `plugins/txes/lock_hash`). */
export function addHashLockRules(rules: RuleBook) {
  rules.stateless("hashLockDuration", ({ duration }, { hashLock }) =>
    duration === 0n || duration > hashLock.maxDuration ? "Failure_LockHash_Invalid_Duration" : undefined,
  );
  rules.stateful("transaction", ({ type, hash }, { tables, height }) => {
    if (type !== AGGREGATE_BONDED) return undefined;
    const lock = tables.hashLocks.get(hash);
    if (!lock) return "Failure_LockHash_Unknown_Hash";
    return isLockActive(lock, height) ? undefined : "Failure_LockHash_Inactive_Hash";
  });
  rules.stateful("hashLock", ({ hash }, { tables, height }) => {
    const lock = tables.hashLocks.get(hash);
    return lock && isLockActive(lock, height) ? "Failure_LockHash_Hash_Already_Exists" : undefined;
  });
  rules.stateful("hashLockMosaic", ({ mosaicId, amount }, { config, resolveMosaic }) => {
    if (amount !== config.hashLock.lockedFundsPerAggregate) return "Failure_LockHash_Invalid_Mosaic_Amount";
    return resolveMosaic(mosaicId) === config.currencyMosaicId ? undefined : "Failure_LockHash_Invalid_Mosaic_Id";
  });

  rules.observe("hashLock", ({ owner, amount, duration, hash, ...lock }, context) => {
    const { tables, height, statement, resolveMosaic } = context;
    const mosaicId = resolveMosaic(lock.mosaicId);
    const endHeight = height + Number(duration);
    const status = LOCK_STATUS.unused;
    tables.hashLocks.add({ ownerAddress: owner, mosaicId, amount, endHeight, status, hash });
    statement.addBalanceChange(RECEIPT_TYPE.hash_lock_created, mosaicId, amount, owner);
  });
  rules.observe("block", ({ harvester }, { tables, height, statement }) => {
    const expired = tables.hashLocks.expiringAt(height).filter((lock) => lock.endHeight === height);
    if (!expired.length) return;
    const { address } = tables.accounts.forwarded(harvester);
    for (const { mosaicId, amount } of expired) tables.accounts.credit(address, mosaicId, amount);
    statement.addExpiredLocks(RECEIPT_TYPE.hash_lock_expired, expired, () => address);
  });
  rules.observe("transaction", ({ type, hash }, { tables, statement }) => {
    if (type !== AGGREGATE_BONDED) return;
    const lock = tables.hashLocks.get(hash);
    if (!lock) return;
    tables.hashLocks.markUsed(lock);
    tables.accounts.credit(lock.ownerAddress, lock.mosaicId, lock.amount);
    statement.addBalanceChange(RECEIPT_TYPE.hash_lock_completed, lock.mosaicId, lock.amount, lock.ownerAddress);
  });
  return PUBLISHERS;
}
