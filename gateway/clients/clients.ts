import type { IncomingMessage } from "node:http";
import { ApiError } from "../../schema/errors/errors.js";
import { clientAddress, TrustedProxies, toClientKey } from "./addresses.js";

/** An IPv4 address or an IPv6 /64, behind trusted proxies the one that they report. */
export class Client {
  readonly key: string;
  /** Open connections, by kind. */
  readonly #connections = new Map<string, number>();

  constructor(key: string) {
    this.key = key;
  }

  /** Open connections of a kind. */
  connections(kind: string): number {
    return this.#connections.get(kind) ?? 0;
  }

  /** Whether it has no open connections of any kind. */
  get isGone(): boolean {
    return this.#connections.size === 0;
  }

  /** Counts a connection of a kind that opens (1) or closes (-1). */
  count(kind: string, change: 1 | -1): void {
    const count = this.connections(kind) + change;
    if (count > 0) this.#connections.set(kind, count);
    else this.#connections.delete(kind);
  }
}

/** The clients that have open connections. */
export class Clients {
  readonly #proxies: TrustedProxies;
  readonly #hasProxies: boolean;
  readonly #onUntrusted: (address: string) => void;
  #hasWarned = false;
  readonly #clients = new Map<string, Client>();
  /** Open connections of all clients, by kind. */
  readonly #connections = new Map<string, number>();

  /**
   * @param trustedProxies IP addresses and networks of proxies whose X-Forwarded-For is trusted
   * @param onUntrusted called once, with the address of the first other one that sends X-Forwarded-For: the clients behind
   *   it count as one
   * @throws RangeError naming one that is neither
   */
  constructor(trustedProxies: readonly string[] = [], onUntrusted: (address: string) => void = () => undefined) {
    this.#proxies = new TrustedProxies(trustedProxies);
    this.#hasProxies = trustedProxies.length > 0;
    this.#onUntrusted = onUntrusted;
  }

  /** Number of currently known clients. */
  get size(): number {
    return this.#clients.size;
  }

  /** Open connections of a kind of all clients. */
  connections(kind: string): number {
    return this.#connections.get(kind) ?? 0;
  }

  /** Whether an address belongs to a trusted proxy, so that its connections are those of several clients. */
  isProxy(address: string): boolean {
    return this.#hasProxies && this.#proxies.has(address);
  }

  /** The client that sent a request. */
  of(request: IncomingMessage): Client {
    const key = this.keyOf(request);
    return this.#clients.get(key) ?? new Client(key);
  }

  /** The key of the client that sent a request. */
  keyOf(request: IncomingMessage): string {
    const { headers, socket } = request;
    const { remoteAddress = "" } = socket;
    if (headers["x-forwarded-for"] === undefined) return toClientKey(remoteAddress);
    if (this.isProxy(remoteAddress)) return toClientKey(clientAddress(request, this.#proxies));
    if (!this.#hasWarned) {
      this.#hasWarned = true;
      this.#onUntrusted(remoteAddress);
    }
    return toClientKey(remoteAddress);
  }

  /** The client at an IP address. */
  at(address: string): Client {
    const key = toClientKey(address);
    return this.#clients.get(key) ?? new Client(key);
  }

  /**
   * Counts a connection of a client as open.
   * @returns to be called once, when it is closed
   */
  open(client: Client, kind: string): () => void {
    const known = this.#clients.get(client.key) ?? client;
    this.#clients.set(client.key, known);
    const count = (change: 1 | -1) => {
      known.count(kind, change);
      this.#connections.set(kind, this.connections(kind) + change);
    };
    count(1);
    return () => {
      count(-1);
      if (known.isGone) this.#clients.delete(known.key);
    };
  }
}

/** The error for a client with the maximum number of connections. */
export function tooManyConnections(limit: number, path: string): ApiError {
  return new ApiError("TooManyRequests", `a client may have ${limit} connections to ${path}: close one first`);
}

/** The error for a client above the rate limit. */
export function tooManyRequests(seconds: number): ApiError {
  return new ApiError("TooManyRequests", `too many requests from your address: try again in ${seconds} s`);
}
