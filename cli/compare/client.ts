import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "./json.js";

/** A response of a gateway. */
export interface Answer {
  readonly status: number;
  /** Without its parameters, such as `application/json`. */
  readonly mediaType: string;
  /** Parsed JSON, a text, or other bytes in base64. */
  readonly body: Json;
}

/** A request as it is sent to one gateway: a POST if it has a body. */
export interface SentRequest {
  readonly path: string;
  readonly body?: unknown;
}

/** A gateway does not respond to one request; the message says why, without naming the gateway. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/** A gateway no longer responds, so there is nothing to compare; the message names it and the reason. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

const TIMEOUT_MS = 20_000;
/** Delay before the second attempt; it doubles for each further one. */
const FIRST_PAUSE_MS = 500;
const ATTEMPTS = 3;
/** Maximum delay that a gateway can request with `Retry-After`, in ms. */
const LONGEST_RETRY_AFTER_MS = 30_000;
const MAX_BODY_BYTES = 32 * 1_048_576;
/** Maximum nesting of a body; those of the interface have a tenth of it. */
const MAX_DEPTH = 100;
/** Too many requests, and service unavailable. */
const BUSY: readonly number[] = [429, 503];

/** One of the two compared gateways. */
export class GatewayClient {
  /** Without a trailing slash. */
  readonly url: string;
  /** No request is sent before this time; set when a gateway limits its clients. */
  #notBefore = 0;

  constructor(url: string) {
    this.url = url.replace(/\/+$/, "");
  }

  /**
   * Sends a request, with retries after a failure or while the gateway is busy.
   * @throws NoAnswerError when this request gets no response, UnreachableError when no other does either
   */
  async send(request: SentRequest): Promise<Answer> {
    try {
      return await this.#sendAgain(request);
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      await this.#sendAgain({ path: "/chain/info" }).catch(() => {
        throw new UnreachableError(`${this.url} does not respond: ${error.message}.`, { cause: error });
      });
      throw error;
    }
  }

  async #sendAgain(request: SentRequest): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const pauseMs = FIRST_PAUSE_MS * 2 ** (attempt - 1);
      try {
        await sleep(Math.max(0, this.#notBefore - Date.now()));
        const { retryAfterMs, ...answer } = await sendOnce(this.url, request);
        if (!BUSY.includes(answer.status) || attempt === ATTEMPTS) return answer;
        this.#notBefore = Math.max(this.#notBefore, Date.now() + Math.max(pauseMs, retryAfterMs));
      } catch (error) {
        if (error instanceof NoAnswerError) throw error;
        if (attempt === ATTEMPTS) throw new NoAnswerError(reasonOf(error as Error), { cause: error });
        await sleep(pauseMs);
      }
    }
  }
}

/** Redirects are not followed: another host would be compared, or reached. @throws NoAnswerError beyond the limits */
async function sendOnce(url: string, { path, body }: SentRequest): Promise<Answer & { retryAfterMs: number }> {
  const sent = body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const [method, signal] = [sent ? "POST" : "GET", AbortSignal.timeout(TIMEOUT_MS)];
  const response = await fetch(url + path, { method, signal, redirect: "manual", ...sent });
  const mediaType = (response.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  const retryAfter = Number(response.headers.get("retry-after") ?? 0) * 1_000 || 0;
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new NoAnswerError(`the response has more than ${MAX_BODY_BYTES} bytes`);
    parts.push(part);
  }
  const read = readBody(Buffer.concat(parts), mediaType);
  if (isDeep(read)) throw new NoAnswerError(`the response is nested more than ${MAX_DEPTH} times`);
  return { status: response.status, mediaType, body: read, retryAfterMs: Math.min(retryAfter, LONGEST_RETRY_AFTER_MS) };
}

function readBody(bytes: Buffer, mediaType: string): Json {
  if (mediaType !== "application/json") return bytes.toString(mediaType === "text/plain" ? "utf8" : "base64");
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return bytes.toString();
  }
}

function isDeep(body: Json): boolean {
  let level: readonly unknown[] = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return false;
}

function reasonOf({ cause, message, name }: Error): string {
  if (name === "TimeoutError") return `no response within ${TIMEOUT_MS / 1_000} s`;
  return cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code || message : message;
}
