import { LRUCache } from "lru-cache";
import { compress, type Encoding } from "./compression.js";
import { bodyHeaders } from "./response-head.js";

/** A whole response with status 200, ready to be sent again. */
export interface StoredAnswer {
  readonly body: Buffer;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it depends on state, see `ChainTag`. */
  readonly readsState?: boolean;
}

/** Maximum number of URLs remembered as requested once since the head moved. */
const MAX_SEEN = 10_000;
/** Longer URLs are not remembered: they may contain unknown parameters of any length. */
const MAX_URL_LENGTH = 1_000;
/** A response may take at most this fraction of the cache, so that it holds more than a few. */
const LARGEST_PART = 16;

/**
 * Responses that cannot have changed since the chain head for which they were created, by URL and tag (see
 * `ChainTag`). A new tag clears it. A response is stored when its URL is requested for the second time, so that
 * paging through a list costs nothing; the least recently used is evicted first.
 */
export class ResponseCache {
  readonly #maxBytes: number;
  #tag: string | undefined;
  readonly #answers: LRUCache<string, CachedAnswer>;
  readonly #seen = new Set<string>();

  /** @param maxBytes of all bodies together, including compressed forms; 0 = no cache */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    // The library takes 0 for no limit at all, and no entry without a size.
    this.#answers = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ bytes }) => Math.max(1, bytes),
    });
  }

  /** Total bytes of all bodies, and their number. */
  get size(): { readonly bytes: number; readonly answers: number } {
    return { bytes: this.#answers.calculatedSize, answers: this.#answers.size };
  }

  /** Whether there is a response for the newest tag known here: worth querying the current tag. */
  has(url: string): boolean {
    return this.#answers.has(url);
  }

  /** The response for the newest tag known here, to be sent only if that is the current one. */
  peek(url: string): CachedAnswer | undefined {
    return this.#answers.peek(url);
  }

  /** The response to a URL at a tag, which is the newest one; undefined if there is none. */
  get(url: string, tag: string): CachedAnswer | undefined {
    this.#turnTo(tag);
    return this.#answers.get(url);
  }

  /** Whether a response to this URL should be stored: it was requested before at this tag. Remembers this request. */
  wants(url: string, tag: string): boolean {
    if (this.#maxBytes === 0 || url.length > MAX_URL_LENGTH) return false;
    this.#turnTo(tag);
    if (this.#seen.has(url)) return true;
    if (this.#seen.size < MAX_SEEN) this.#seen.add(url);
    return false;
  }

  /** Stores a response that was read while the tag was the same before and after. */
  set(url: string, tag: string, answer: StoredAnswer): void {
    if (tag !== this.#tag || answer.body.length > this.#maxBytes / LARGEST_PART || this.#answers.has(url)) return;
    const cached = new CachedAnswer(answer, () => {
      if (this.#answers.peek(url) !== cached) return;
      // The library measures an entry when it comes.
      this.#answers.delete(url);
      this.#answers.set(url, cached);
    });
    this.#answers.set(url, cached);
  }

  #turnTo(tag: string): void {
    if (tag === this.#tag) return;
    this.#tag = tag;
    this.#answers.clear();
    this.#seen.clear();
  }
}

/** A body as it is sent, and its headers, names and values in turn. */
export interface SentForm {
  readonly body: Buffer;
  readonly headers: readonly string[];
}

/** A stored response, with its compressed forms once they were requested. */
export class CachedAnswer {
  readonly answer: StoredAnswer;
  readonly #grew: () => void;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();
  /** Of bodies that can be sent now, by encoding. */
  readonly #forms = new Map<Encoding | undefined, SentForm>();
  #bytes: number;

  constructor(answer: StoredAnswer, grew: () => void) {
    this.answer = answer;
    this.#grew = grew;
    this.#bytes = answer.body.length;
  }

  /** Of the body and its compressed forms. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The body in an encoding if it can be sent now: it was compressed before, or is sent as it is. */
  form(encoding: Encoding | undefined): SentForm | undefined {
    if (!encoding && !this.#forms.has(encoding)) this.#keep(this.answer.body, encoding);
    return this.#forms.get(encoding);
  }

  /** The body in an encoding; it is compressed once. */
  compressed(encoding: Encoding): Promise<Buffer> {
    let known = this.#compressed.get(encoding);
    if (!known) {
      known = this.#compress(encoding);
      this.#compressed.set(encoding, known);
    }
    return known;
  }

  async #compress(encoding: Encoding): Promise<Buffer> {
    const body = await compress(this.answer.body, encoding);
    this.#keep(body, encoding);
    this.#bytes += body.length;
    this.#grew();
    return body;
  }

  #keep(body: Buffer, encoding: Encoding | undefined): void {
    const { contentType, headers } = this.answer;
    const all = { ...headers, ...bodyHeaders(contentType, body.length, encoding) };
    this.#forms.set(encoding, { body, headers: Object.entries(all).flat() });
  }
}
