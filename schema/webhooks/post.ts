import { lookup } from "node:dns";
import { lookup as resolve } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { Client } from "undici";
import type { ReceiverAddresses } from "./addresses.js";

/** Maximum length of the reason that is stored. */
const MAX_REASON = 300;
/** A longer answer is not read to its end: its connection is closed. */
const MAX_IGNORED_BYTES = 65_536;

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
  /** Opened by the first message, and by the next one after an attempt that did not end by itself. */
  #client: Client | undefined;

  constructor(url: string, addresses: ReceiverAddresses, timeoutMs: number) {
    this.#url = new URL(url);
    this.#addresses = addresses;
    this.#timeoutMs = timeoutMs;
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
    const { origin, pathname, search, hostname } = this.#url;
    // An aborted request would wait for its connection: closing everything ends an attempt in any case.
    const timer = setTimeout(() => this.#end(new Error("no answer in time")), this.#timeoutMs);
    const stop = () => this.#end(signal.reason);
    signal.addEventListener("abort", stop);
    try {
      signal.throwIfAborted();
      const literal = hostname.replace(/^\[|\]$/g, "");
      if (isIP(literal) !== 0 && !this.#addresses.has(literal)) throw notAllowed(literal);
      this.#client ??= new Client(origin, { connect: { lookup: this.#lookup, timeout: this.#timeoutMs } });
      const path = pathname + search;
      const sent = { "content-type": "application/json", "user-agent": "symbol-gateway", ...headers };
      const answer = await this.#client.request({ method: "POST", path, headers: sent, body });
      await answer.body.dump({ limit: MAX_IGNORED_BYTES }).catch(() => undefined);
      const status = answer.statusCode;
      if (status >= 200 && status < 300) return undefined;
      const retryAfterMs = readRetryAfter(answer.headers["retry-after"]);
      return { problem: `the receiver answered ${status}`, isGone: status === GONE, retryAfterMs };
    } catch (error) {
      const reason = error instanceof Error ? error.message || error.name : String(error);
      return { problem: reason.slice(0, MAX_REASON), isGone: false, retryAfterMs: undefined };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  close(): void {
    this.#end(new Error("the webhook was removed"));
  }

  #end(reason: Error): void {
    this.#client?.destroy(reason);
    this.#client = undefined;
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
