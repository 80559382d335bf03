/** Maximum number of entries. */
const MAX_ENTRIES = 50;
/** Longer texts are not cached: parsed, they take a hundred times their length. */
const MAX_LENGTH = 8_192;

/** Caches results for document texts, least recently used first out, so documents of strangers take bounded memory. */
export class DocumentCache<Value> {
  readonly #entries = new Map<string, Value>();

  get(text: string): Value | undefined {
    const value = this.#entries.get(text);
    if (value === undefined) return undefined;
    this.#entries.delete(text);
    this.#entries.set(text, value);
    return value;
  }

  set(text: string, value: Value): void {
    if (text.length > MAX_LENGTH) return;
    this.#entries.set(text, value);
    if (this.#entries.size <= MAX_ENTRIES) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
