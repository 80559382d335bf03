/** Entries that are kept. */
const MAX_ENTRIES = 50;
/** Longer texts are not kept: parsed, they take a hundred times their length. */
const MAX_LENGTH = 8_192;

/** What was made of the texts of documents, those that were used last. What strangers write takes bounded memory so. */
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
