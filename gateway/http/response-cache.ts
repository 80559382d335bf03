import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { LRUCache } from "lru-cache";
import { exchangeOf } from "./exchange.js";
import { acceptedEncoding, isKnown, sendNotModified } from "./send.js";

/** A whole response with status 200, ready to be sent again. */
export interface CachedResponse {
  /** A text has one character for each byte. */
  readonly body: Buffer | string;
  /** All of them, `ETag` included. */
  readonly headers: Readonly<Record<string, string>>;
  /** The route of the request, for its metric. */
  readonly route: string;
}

const PROCESS_ID_BYTES = 6;
/** Maximum number of URLs remembered as requested once. */
const MAX_SEEN = 10_000;
/** Longer URLs are not remembered: they may contain unknown parameters of any length. */
const MAX_URL_LENGTH = 1_000;
/** A response may take at most this fraction of the memory, so that it holds more than a few. */
const LARGEST_PART = 16;
/** Up to this size a body is kept as a text, in bytes: Node sends it together with the headers, which takes a tenth less time. */
const SMALL_BYTES = 4_096;

/**
 * The answers to URLs that were requested more than once since the last change of the database. They are dropped when the
 * process is notified of the next one, before it sends the messages of that change: none is older than a message. While
 * the process does not follow the database, it keeps nothing. The least recently used is dropped first.
 */
export class ResponseCache {
  readonly #maxBytes: number;
  readonly #answers: LRUCache<string, CachedResponse>;
  /** Requested once: paging through a list keeps nothing. */
  readonly #seen = new Set<string>();
  readonly #process = randomBytes(PROCESS_ID_BYTES).toString("base64url");
  #version = 0;
  #isFollowing = false;

  /** @param maxBytes of all bodies together; 0 = nothing is cached */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    // The library takes 0 for no limit at all, and no entry without a size.
    this.#answers = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ body }) => Math.max(1, body.length),
    });
  }

  /** The database has changed, or may have. @param isFollowing whether the process is notified of the next change */
  renew(isFollowing: boolean): void {
    this.#isFollowing = isFollowing;
    this.#version += 1;
    this.#answers.clear();
  }

  /** Number of the last change, to which an answer belongs that is read after this call; undefined if it may have changed again. */
  get version(): number | undefined {
    return this.#isFollowing ? this.#version : undefined;
  }

  /** The entity tag of all answers of a version: no other version of any process has the same. */
  makeTag(version: number): string {
    return `W/"${this.#process}-${version.toString(36)}"`;
  }

  /** The answer to a request. */
  find(request: IncomingMessage): CachedResponse | undefined {
    return request.method === "GET" ? this.#answers.get(keyOf(request)) : undefined;
  }

  /** Whether to keep the answer to a request: its URL was requested before. Remembers this request. */
  wants(request: IncomingMessage): boolean {
    if (this.#maxBytes === 0 || request.method !== "GET") return false;
    if ((request.url as string).length > MAX_URL_LENGTH) return false;
    const key = keyOf(request);
    if (this.#seen.has(key)) return true;
    if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
    this.#seen.add(key);
    return false;
  }

  /** Keeps the answer to a request, unless the database has changed since its version was read. */
  keep(request: IncomingMessage, version: number, answer: CachedResponse & { readonly body: Buffer }): void {
    const { body } = answer;
    if (version !== this.version || body.length > this.#maxBytes / LARGEST_PART) return;
    this.#answers.set(
      keyOf(request),
      body.length > SMALL_BYTES ? answer : { ...answer, body: body.toString("latin1") },
    );
  }
}

/** Sends a cached answer; 304 if the client has it. @param others headers that the response does not have yet */
export function sendCached(
  request: IncomingMessage,
  response: ServerResponse,
  answer: CachedResponse,
  others: Readonly<Record<string, string>> = {},
): void {
  const { headers, body, route } = answer;
  exchangeOf(response).route = route;
  if (isKnown(headers.ETag ?? "", request)) {
    response.setHeaders(new Map(Object.entries(others)));
    sendNotModified(response, headers);
  } else {
    // Headers that are set one by one before take much longer.
    response.writeHead(200, { ...others, ...headers });
    response.end(body, "latin1");
  }
}

/** The URL, and what else the response depends on. */
function keyOf(request: IncomingMessage): string {
  const encoding = acceptedEncoding(request);
  return encoding === undefined ? (request.url as string) : `${encoding} ${request.url}`;
}
