import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** A response of a gateway. */
export interface Answer {
  readonly status: number;
  /** Without its parameters, such as `application/json`. */
  readonly mediaType: string;
  /** Parsed JSON, a text, or size and hash of other bytes. */
  readonly body: unknown;
}

/** A request as it is sent to one gateway. */
export interface SentRequest {
  readonly method: "GET" | "POST";
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

/** How long is waited, in ms. */
export interface ClientTimes {
  /** Timeout of one response. */
  readonly timeoutMs: number;
  /** Delay before the second attempt; it doubles for each further one. */
  readonly firstPauseMs: number;
}

const DEFAULT_TIMES: ClientTimes = { timeoutMs: 20_000, firstPauseMs: 500 };
const ATTEMPTS = 3;
/** Maximum delay that a gateway can request with `Retry-After`, in ms. */
const LONGEST_RETRY_AFTER_MS = 30_000;
const MAX_BODY_BYTES = 32 * 1_048_576;
/** Maximum nesting of a body; those of the interface have a tenth of it. */
const MAX_DEPTH = 100;
const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;

/** One of the two compared gateways. */
export class GatewayClient {
  /** Without a trailing slash. */
  readonly url: string;
  readonly #times: ClientTimes;
  /** No request is sent before this time; set when a gateway limits its clients. */
  #notBefore = 0;

  constructor(url: string, times: ClientTimes = DEFAULT_TIMES) {
    this.url = url.replace(/\/+$/, "");
    this.#times = times;
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
      await this.#sendAgain({ method: "GET", path: "/chain/info" }).catch(() => {
        throw new UnreachableError(`${this.url} does not respond: ${error.message}.`, { cause: error });
      });
      throw error;
    }
  }

  async #sendAgain(request: SentRequest): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const pauseMs = this.#times.firstPauseMs * 2 ** (attempt - 1);
      try {
        const { answer, retryAfterMs } = await this.#sendOnce(request);
        const isBusy = answer.status === TOO_MANY_REQUESTS || answer.status === SERVICE_UNAVAILABLE;
        if (!isBusy || attempt === ATTEMPTS) return answer;
        this.#notBefore = Math.max(this.#notBefore, Date.now() + Math.max(pauseMs, retryAfterMs));
      } catch (error) {
        if (error instanceof NoAnswerError) throw error;
        if (attempt === ATTEMPTS) throw new NoAnswerError(reasonOf(error, this.#times), { cause: error });
        await sleep(pauseMs);
      }
    }
  }

  async #sendOnce({ method, path, body }: SentRequest): Promise<{ answer: Answer; retryAfterMs: number }> {
    const waitMs = this.#notBefore - Date.now();
    if (waitMs > 0) await sleep(waitMs);
    const response = await fetch(this.url + path, {
      method,
      redirect: "manual",
      signal: AbortSignal.timeout(this.#times.timeoutMs),
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    const mediaType = (response.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
    const retryAfter = Number(response.headers.get("retry-after") ?? 0) * 1_000;
    return {
      answer: { status: response.status, mediaType, body: readBody(await bytesOf(response), mediaType) },
      retryAfterMs: Number.isFinite(retryAfter) ? Math.min(retryAfter, LONGEST_RETRY_AFTER_MS) : 0,
    };
  }
}

async function bytesOf(response: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new NoAnswerError(`the response has more than ${MAX_BODY_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function readBody(bytes: Buffer, mediaType: string): unknown {
  if (mediaType === "application/json") {
    const body = parsed(bytes.toString("utf8"));
    if (isDeep(body)) throw new NoAnswerError(`the response is nested more than ${MAX_DEPTH} times`);
    return body;
  }
  if (mediaType === "text/plain") return bytes.toString("utf8");
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isDeep(body: unknown): boolean {
  let level = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return false;
}

function reasonOf(error: unknown, { timeoutMs }: ClientTimes): string {
  const { cause, message, name } = error as Error;
  if (name === "TimeoutError") return `no response within ${timeoutMs / 1_000} s`;
  return cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code || message : message;
}
