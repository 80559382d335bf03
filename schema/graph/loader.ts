import { Batcher } from "../../database/batcher.js";

/** Loads values by keys: see {@link makeLoader}. */
export type Loader<Key, Value> = Pick<Batcher<Key, Value>, "load">;

/** Keys of one statement: its rows are in memory at once. */
const MAX_KEYS = 1_000;

/**
 * Reads together what is loaded in one turn of the event loop, each key once.
 * @param read returns one value for each key, in order
 * @param nameOf returns the same for equal keys; without it, keys are compared by identity
 */
export function makeLoader<Key, Value>(
  read: (keys: readonly Key[]) => Promise<readonly Value[]>,
  nameOf?: (key: NoInfer<Key>) => string,
): Loader<Key, Value> {
  return new Batcher(read, MAX_KEYS, nameOf);
}

/** The same for a query that returns its results in any order: a key without a result is undefined. */
export function makeFinder<Key, Found>(
  nameOfKey: (key: NoInfer<Key>) => string,
  nameOfFound: (found: Found) => string,
  read: (keys: readonly Key[]) => Promise<readonly Found[]>,
): Loader<Key, Found | undefined> {
  return makeLoader(async (keys) => {
    const found = new Map((await read(keys)).map((one) => [nameOfFound(one), one]));
    return keys.map((key) => found.get(nameOfKey(key)));
  }, nameOfKey);
}
