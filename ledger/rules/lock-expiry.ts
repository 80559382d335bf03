import type { StatementBuilder } from "./receipts.js";

interface ExpiredLock {
  readonly mosaicId: bigint;
  readonly amount: bigint;
  /** Receiver of the funds. */
  readonly target: Buffer;
}

/** Adds the receipts of locks that expired in one block, in the order of the receipts' bytes. */
export function addExpiryReceipts(statement: StatementBuilder, type: number, locks: readonly ExpiredLock[]): void {
  const keyed = locks.map((lock) => {
    const key = Buffer.alloc(16);
    key.writeBigUInt64LE(lock.mosaicId, 0);
    key.writeBigUInt64LE(lock.amount, 8);
    return { lock, key: Buffer.concat([key, lock.target]) };
  });
  keyed.sort((left, right) => Buffer.compare(left.key, right.key));
  for (const { lock } of keyed) statement.addBalanceChange(type, lock.mosaicId, lock.amount, lock.target);
}
