import DataLoader from "dataloader";

/** Loads values by keys: see {@link loaderOf}. */
export type Loader<Key, Value> = DataLoader<Key, Value, unknown>;

/** Keys of one statement: its rows are in memory at once. */
const MAX_KEYS = 1_000;

/**
 * Reads together what is loaded in one turn of the event loop, each key once. Nothing is cached for the next turn:
 * the operation may be a subscription, which continues while the index changes.
 * @param read returns one value for each key, in order
 * @param nameOf returns the same for equal keys; without it, keys are compared by identity
 */
export function loaderOf<Key, Value>(
  read: (keys: readonly Key[]) => Promise<readonly Value[]>,
  nameOf?: (key: NoInfer<Key>) => string,
): Loader<Key, Value> {
  const loader: Loader<Key, Value> = new DataLoader<Key, Value, unknown>(
    async (keys) => {
      loader.clearAll();
      return read(keys);
    },
    { batchScheduleFn: setImmediate, maxBatchSize: MAX_KEYS, ...(nameOf && { cacheKeyFn: nameOf }) },
  );
  return loader;
}

/** The same for a query that returns its results in any order: a key without a result is undefined. */
export function finderOf<Key, Found>(
  nameOfKey: (key: NoInfer<Key>) => string,
  nameOfFound: (found: Found) => string,
  read: (keys: readonly Key[]) => Promise<readonly Found[]>,
): Loader<Key, Found | undefined> {
  return loaderOf(async (keys) => {
    const found = new Map((await read(keys)).map((one) => [nameOfFound(one), one]));
    return keys.map((key) => found.get(nameOfKey(key)));
  }, nameOfKey);
}
