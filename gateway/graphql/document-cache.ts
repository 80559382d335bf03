import { LRUCache } from "lru-cache";

/** Entries that are kept. */
const MAX_ENTRIES = 50;
/** Longer texts are not kept: parsed, they take a hundred times their length. */
const MAX_LENGTH = 8_192;

/** What was made of the texts of documents, those that were used last. What strangers write takes bounded memory so. */
export function documentCache<Value extends object>(): LRUCache<string, Value> {
  return new LRUCache<string, Value>({
    max: MAX_ENTRIES,
    maxEntrySize: MAX_LENGTH,
    sizeCalculation: (_value, text) => text.length || 1,
  });
}
