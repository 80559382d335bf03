import { lookup } from "node:dns";
import { lookup as resolve } from "node:dns/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { ReceiverAddresses } from "./addresses.js";

/** Maximum length of the reason that is stored. */
const MAX_REASON = 300;
/** A longer answer is not read to its end: its connection is closed. */
const MAX_IGNORED_BYTES = 65_536;
const ONE_CONNECTION = { keepAlive: true, maxSockets: 1 };

const GONE = 410;

/** Why a message was not delivered. */
export interface Failure {
  readonly problem: string;
  /** The receiver wants nothing any more: status 410, as in Standard Webhooks. */
  readonly isGone: boolean;
  /** What the receiver's `Retry-After` says, in ms. */
  readonly retryAfterMs: number | undefined;
}

/** Sends messages to one receiver, over one connection that stays open. */
export class Poster {
  readonly #url: URL;
  readonly #addresses: ReceiverAddresses;
  readonly #timeoutMs: number;
  readonly #agent: http.Agent;

  constructor(url: string, addresses: ReceiverAddresses, timeoutMs: number) {
    this.#url = new URL(url);
    this.#addresses = addresses;
    this.#timeoutMs = timeoutMs;
    this.#agent = this.#isSecure ? new https.Agent(ONE_CONNECTION) : new http.Agent(ONE_CONNECTION);
  }

  get #isSecure(): boolean {
    return this.#url.protocol === "https:";
  }

  /**
   * Sends one message. Redirects are not followed. The rest of an answer counts for the timeout, and not for the result.
   * @returns undefined when the receiver answered 2xx
   */
  async post(
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    const attempt = new AbortController();
    const timer = setTimeout(() => attempt.abort(new Error("no answer in time")), this.#timeoutMs);
    const stop = () => attempt.abort(signal.reason);
    signal.addEventListener("abort", stop);
    try {
      signal.throwIfAborted();
      const literal = this.#url.hostname.replace(/^\[|\]$/g, "");
      if (isIP(literal) !== 0 && !this.#addresses.has(literal)) throw notAllowed(literal);
      const sent = { "content-type": "application/json", "user-agent": "symbol-gateway", ...headers };
      const answer = await this.#send(body, sent, attempt.signal);
      await skip(answer).catch(() => undefined);
      const status = answer.statusCode!;
      if (status >= 200 && status < 300) return undefined;
      const retryAfterMs = readRetryAfter(answer.headers["retry-after"]);
      return { problem: `the receiver answered ${status}`, isGone: status === GONE, retryAfterMs };
    } catch (error) {
      const cause = attempt.signal.aborted ? attempt.signal.reason : error;
      const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
      return { problem: reason.slice(0, MAX_REASON), isGone: false, retryAfterMs: undefined };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  /** Ends the connection. */
  close(): void {
    this.#agent.destroy();
  }

  #send(body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
    const { request } = this.#isSecure ? https : http;
    const options = { method: "POST", headers, agent: this.#agent, lookup: this.#lookup, signal };
    return new Promise((resolve, reject) => {
      const sent = request(this.#url, options, resolve).on("error", reject);
      sent.on("upgrade", (_answer, socket) => {
        socket.destroy();
        reject(new Error("bad upgrade"));
      });
      sent.end(body);
    });
  }

  /**
   * Resolves the name for a new connection, which then goes to the verified address: a name that resolves differently
   * the next time (DNS rebinding) gains nothing.
   */
  readonly #lookup: LookupFunction = (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const wrong = found?.find(({ address }) => !this.#addresses.has(address));
      if (error || wrong) done(error ?? notAllowed(wrong!.address), []);
      else if (options.all) done(null, found);
      else done(null, found[0]!.address, found[0]!.family);
    });
  };
}

/** Reads an answer to its end, after which its connection serves the next message, or closes it if it is too long. */
async function skip(answer: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_IGNORED_BYTES) return;
  }
}

/** Seconds, or a time (RFC 9110, 10.2.3), as ms from now. */
function readRetryAfter(header: string | string[] | undefined): number | undefined {
  const text = String(header ?? "");
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : ms;
}

/** Why a name cannot receive messages: it leads to an address that is not allowed. Undefined if it can, or is unknown. */
export async function nameProblem(hostname: string, addresses: ReceiverAddresses): Promise<string | undefined> {
  const found = await resolve(hostname, { all: true }).catch(() => []);
  const wrong = found.find(({ address }) => !addresses.has(address));
  return (
    wrong &&
    `${hostname} has the address ${wrong.address}, which is not public, and WEBHOOK_PRIVATE_NETWORKS does not allow it`
  );
}

function notAllowed(address: string): Error {
  return new Error(`${address} is not a public address, and WEBHOOK_PRIVATE_NETWORKS does not allow it`);
}
