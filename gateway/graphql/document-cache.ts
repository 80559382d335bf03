import { LRUCache } from "lru-cache";

/** Maximum number of entries. */
const MAX_ENTRIES = 50;
/** Longer texts are not cached: parsed, they take a hundred times their length. */
const MAX_LENGTH = 8_192;

/** Caches results for document texts, least recently used first out, so documents of strangers take bounded memory. */
export function documentCache<Value extends object>(): LRUCache<string, Value> {
  return new LRUCache<string, Value>({
    max: MAX_ENTRIES,
    maxEntrySize: MAX_LENGTH,
    sizeCalculation: (_value, text) => text.length || 1,
  });
}
