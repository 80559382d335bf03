import { ACTIVITY_BUCKET } from "../../catapult/state/account.js";
import { StateReader } from "../../catapult/state/state-reader.js";
import { ByteWriter } from "../../catapult/values/byte-writer.js";
import {
  ACTIVITY_HISTORY_SIZE,
  type AccountState,
  EMPTY_BUCKET,
  EMPTY_IMPORTANCE,
  filled,
  IMPORTANCE_HISTORY_SIZE,
} from "./accounts.js";

const IMPORTANCE_SIZE = 16;
const HISTORY_SIZE = IMPORTANCE_HISTORY_SIZE * IMPORTANCE_SIZE + ACTIVITY_HISTORY_SIZE * ACTIVITY_BUCKET.size;

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
  for (const { importance, height } of filled(account.importances, EMPTY_IMPORTANCE, IMPORTANCE_HISTORY_SIZE))
    writer.uint64(importance).uint64(height);
  for (const bucket of filled(account.activity, EMPTY_BUCKET, ACTIVITY_HISTORY_SIZE))
    ACTIVITY_BUCKET.encode(writer, bucket);
  return writer.toBuffer();
}

/** The inverse of `serializeHistory`. @throws RangeError for bytes of another size */
export function readHistory(bytes: Buffer): Pick<AccountState, "importances" | "activity"> {
  if (bytes.length !== HISTORY_SIZE)
    throw new RangeError(`an account's history has ${HISTORY_SIZE} bytes, not ${bytes.length}`);
  const reader = new StateReader(bytes, "history");
  const importances = Array.from({ length: IMPORTANCE_HISTORY_SIZE }, () => ({
    importance: reader.uint64("importance"),
    height: reader.safeUint64("height"),
  }));
  const activity = Array.from({ length: ACTIVITY_HISTORY_SIZE }, () => reader.field(ACTIVITY_BUCKET, "activity"));
  return {
    importances: withoutTail(importances, ({ height }) => height === 0),
    activity: withoutTail(activity, ({ startHeight }) => startHeight === 0),
  };
}

/** Empty entries at the end are not stored. */
function withoutTail<T>(values: readonly T[], isEmpty: (value: T) => boolean): readonly T[] {
  return values.slice(0, values.findLastIndex((value) => !isEmpty(value)) + 1);
}
