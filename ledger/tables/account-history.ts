import { ByteWriter } from "../trees/byte-writer.js";
import {
  ACTIVITY_HISTORY_SIZE,
  type AccountState,
  EMPTY_BUCKET,
  EMPTY_IMPORTANCE,
  IMPORTANCE_HISTORY_SIZE,
} from "./accounts.js";

const IMPORTANCE_SIZE = 16;
const BUCKET_SIZE = 28;
const HISTORY_SIZE = IMPORTANCE_HISTORY_SIZE * IMPORTANCE_SIZE + ACTIVITY_HISTORY_SIZE * BUCKET_SIZE;

/** Whether an account has an importance or an activity, now or in the remembered groups of blocks. */
export function hasHistory({ importances, activity }: Pick<AccountState, "importances" | "activity">): boolean {
  return importances.some(({ height }) => height !== 0) || activity.some(({ startHeight }) => startHeight !== 0);
}

/**
 * The importances and activity of an account, all of them: its state value has fewer, and none once its balance is
 * too low to harvest, but they count again when it is sufficient (catapult `AccountStateHistoricalSerializer`).
 * Undefined for an account that has none.
 */
export function serializeHistory(account: AccountState): Buffer | undefined {
  if (!hasHistory(account)) return undefined;
  const writer = new ByteWriter(HISTORY_SIZE);
  for (let index = 0; index < IMPORTANCE_HISTORY_SIZE; ++index) {
    const { importance, height } = account.importances[index] ?? EMPTY_IMPORTANCE;
    writer.uint64(importance).uint64(height);
  }
  for (let index = 0; index < ACTIVITY_HISTORY_SIZE; ++index) {
    const bucket = account.activity[index] ?? EMPTY_BUCKET;
    writer.uint64(bucket.startHeight).uint64(bucket.totalFeesPaid);
    writer.uint32(bucket.beneficiaryCount).uint64(bucket.rawScore);
  }
  return writer.toBuffer();
}

/** The inverse of `serializeHistory`. @throws RangeError for bytes of another size */
export function readHistory(bytes: Buffer): Pick<AccountState, "importances" | "activity"> {
  if (bytes.length !== HISTORY_SIZE)
    throw new RangeError(`an account's history has ${HISTORY_SIZE} bytes, not ${bytes.length}`);
  const importances = Array.from({ length: IMPORTANCE_HISTORY_SIZE }, (_, index) => {
    const at = index * IMPORTANCE_SIZE;
    return { importance: bytes.readBigUInt64LE(at), height: Number(bytes.readBigUInt64LE(at + 8)) };
  });
  const activity = Array.from({ length: ACTIVITY_HISTORY_SIZE }, (_, index) => {
    const at = IMPORTANCE_HISTORY_SIZE * IMPORTANCE_SIZE + index * BUCKET_SIZE;
    return {
      startHeight: Number(bytes.readBigUInt64LE(at)),
      totalFeesPaid: bytes.readBigUInt64LE(at + 8),
      beneficiaryCount: bytes.readUInt32LE(at + 16),
      rawScore: bytes.readBigUInt64LE(at + 20),
    };
  });
  return {
    importances: withoutTail(importances, ({ height }) => height === 0),
    activity: withoutTail(activity, ({ startHeight }) => startHeight === 0),
  };
}

/** Empty entries at the end are not stored. */
function withoutTail<T>(values: readonly T[], isEmpty: (value: T) => boolean): readonly T[] {
  return values.slice(0, values.findLastIndex((value) => !isEmpty(value)) + 1);
}
