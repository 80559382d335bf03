import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import type { ReceiverAddresses } from "./addresses.js";

/** Maximum length of the reason that is stored. */
const MAX_REASON = 300;

type LookedUp = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Sends messages to one receiver, over one connection that stays open. */
export class Poster {
  readonly #url: URL;
  readonly #addresses: ReceiverAddresses;
  readonly #timeoutMs: number;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(url: string, addresses: ReceiverAddresses, timeoutMs: number) {
    this.#url = new URL(url);
    this.#addresses = addresses;
    this.#timeoutMs = timeoutMs;
    const options = { keepAlive: true, maxSockets: 1 };
    this.#agent = this.#url.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /**
   * Sends one message. Redirects are not followed.
   * @returns why it was not delivered; undefined when the receiver answered 2xx
   */
  async post(
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    try {
      const status = await this.#send(body, headers, signal);
      return status >= 200 && status < 300 ? undefined : `the receiver answered ${status}`;
    } catch (error) {
      return (error instanceof Error ? error.message || error.name : String(error)).slice(0, MAX_REASON);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<number> {
    const { hostname, protocol } = this.#url;
    const literal = hostname.replace(/^\[|\]$/g, "");
    if (isIP(literal) !== 0 && !this.#addresses.has(literal)) return Promise.reject(notAllowed(literal));
    const request = protocol === "https:" ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const sent = request(
        this.#url,
        {
          method: "POST",
          agent: this.#agent,
          headers: { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body), ...headers },
          lookup: this.#lookup as never,
          signal,
        },
        (response) => {
          resolve(response.statusCode ?? 0);
          // The body does not matter: a long one must not keep the connection.
          response.on("error", () => undefined);
          response.resume();
          if (Number(response.headers["content-length"] ?? Number.POSITIVE_INFINITY) > MAX_IGNORED_BYTES)
            sent.destroy();
        },
      );
      // Not `AbortSignal.timeout` within `AbortSignal.any`: Node 20 collects it as garbage, and it never fires. The rest of
      // a response counts too: the next message waits for its connection.
      const timer = setTimeout(() => sent.destroy(new Error("no answer in time")), this.#timeoutMs);
      // The last event in any case: whatever the receiver does, an attempt ends.
      sent.once("close", () => {
        clearTimeout(timer);
        reject(new Error("the connection was closed without an answer"));
      });
      // An answer that is no response: Node would emit nothing but `close`.
      sent.once("upgrade", (response, socket) => {
        resolve(response.statusCode ?? 0);
        socket.destroy();
      });
      sent.once("error", (error) => {
        // The receiver closed the idle connection at the same moment: that is no failure of it.
        if (sent.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET" && !signal.aborted) {
          resolve(this.#send(body, headers, signal));
          return;
        }
        reject(error);
      });
      sent.end(body);
    });
  }

  /**
   * Resolves the name for a new connection, which then goes to the verified address: a name that resolves differently
   * the next time (DNS rebinding) gains nothing.
   */
  readonly #lookup = (hostname: string, options: LookupOptions, done: LookedUp): void => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      const wrong = found.find(({ address }) => !this.#addresses.has(address));
      const [first] = found;
      if (wrong || !first) return done(notAllowed(wrong?.address ?? hostname), []);
      if (options.all) done(null, found);
      else done(null, first.address, first.family);
    });
  };
}

/** A longer answer is not read to its end: its connection is closed. */
const MAX_IGNORED_BYTES = 65_536;

function notAllowed(address: string): Error {
  return new Error(`${address} is not a public address, and WEBHOOK_PRIVATE_NETWORKS does not allow it`);
}
