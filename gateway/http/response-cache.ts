import { LRUCache } from "lru-cache";
import { compress, type Encoding } from "./compression.js";

/** A whole answer with status 200, ready to be sent again. */
export interface StoredAnswer {
  readonly body: Buffer;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** URLs that were asked for once since the head moved; more are not remembered. */
const MAX_SEEN = 10_000;
/** Longer URLs are not remembered: what a route does not know of may stand in them, of any length. */
const MAX_URL_LENGTH = 1_000;
/** A cache of a few large answers is none, so each may take this part of it at most. */
const LARGEST_PART = 16;

/**
 * Answers that cannot have changed since the chain's head that they were made for, by URL and tag (see `ChainTag`). With
 * a new tag it begins anew. An answer is kept when its URL is asked for a second time, so that walking through a list
 * costs nothing; what was used the longest ago goes first.
 */
export class ResponseCache {
  readonly #maxBytes: number;
  #tag: string | undefined;
  readonly #answers: LRUCache<string, CachedAnswer>;
  readonly #seen = new Set<string>();

  /** @param maxBytes of all bodies together, compressed forms included; 0 keeps none */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    // The library takes 0 for no limit at all, and no entry without a size.
    this.#answers = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ bytes }) => Math.max(1, bytes),
    });
  }

  /** Bytes of all bodies, and their number. */
  get size(): { readonly bytes: number; readonly answers: number } {
    return { bytes: this.#answers.calculatedSize, answers: this.#answers.size };
  }

  /** Whether there is an answer of the newest tag known here: worth asking what the tag is now. */
  has(url: string): boolean {
    return this.#answers.has(url);
  }

  /** The answer to a URL at a tag, which is the newest one; undefined when there is none. */
  get(url: string, tag: string): CachedAnswer | undefined {
    this.#turnTo(tag);
    return this.#answers.get(url);
  }

  /** Whether an answer to this URL should be kept: it was asked for before at this tag. Remembers that it is now. */
  wants(url: string, tag: string): boolean {
    if (this.#maxBytes === 0 || url.length > MAX_URL_LENGTH) return false;
    this.#turnTo(tag);
    if (this.#seen.has(url)) return true;
    if (this.#seen.size < MAX_SEEN) this.#seen.add(url);
    return false;
  }

  /** Keeps an answer that was read while the tag was this one, before and after. */
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

/** An answer that is kept, with its compressed forms once they were asked for. */
export class CachedAnswer {
  readonly answer: StoredAnswer;
  readonly #grew: () => void;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();
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
    this.#bytes += body.length;
    this.#grew();
    return body;
  }
}
