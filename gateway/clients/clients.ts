import type { IncomingMessage } from "node:http";
import { isIP, isIPv6 } from "node:net";
// Finds the client behind trusted proxies; a dependency of express.
import proxyAddr from "proxy-addr";
import { ApiError } from "../../schema/services/errors.js";

/** 16-bit groups of an IPv6 address that identify a client (a /64): hosts choose the rest. */
const IPV6_GROUPS = 4;
const IPV4_IN_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** An address with a port, as some proxies write it: `203.0.113.9:4711`, `[2001:db8::1]:4711`, or brackets alone. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/;

/** The proxies whose X-Forwarded-For is trusted: addresses and networks. */
export class TrustedProxies {
  /** Whether an address belongs to one of them. */
  readonly has: (address: string) => boolean;

  /**
   * @param entries IP addresses and networks such as `10.0.0.0/8`
   * @throws RangeError naming an invalid entry
   */
  constructor(entries: readonly string[]) {
    for (const entry of entries) requireNetwork(entry);
    const trusts = proxyAddr.compile([...entries]);
    this.has = (address) => trusts(address, 0);
  }
}

function requireNetwork(entry: string): void {
  try {
    // The library would accept `10.1` as an address too.
    if (isIP(entry.split("/", 1)[0] ?? "") === 0) throw new TypeError("no address");
    proxyAddr.compile(entry);
  } catch (cause) {
    throw new RangeError(`${JSON.stringify(entry)} is neither an IP address nor a network such as 10.0.0.0/8`, {
      cause,
    });
  }
}

/**
 * The address of the client that sent a request: of the socket or, if that is a trusted proxy, the last one in
 * `X-Forwarded-For` that is not. Entries further left can be forged. Ports are removed, and IPv4 addresses within
 * IPv6 are returned as IPv4.
 */
export function clientAddress({ socket, headers }: IncomingMessage, proxies: TrustedProxies): string {
  const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",").map(plain).join(",");
  const remoteAddress = plain(socket.remoteAddress ?? "");
  const request = { socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } };
  const path = proxyAddr.all(request as unknown as IncomingMessage, proxies.has);
  // What is not an address was written by the client itself, or by a proxy that hides it.
  return path.findLast((address) => isIP(address) !== 0) ?? remoteAddress;
}

function plain(text: string): string {
  const address = text.trim();
  const [, bracketed, beforePort] = WITH_PORT.exec(address) ?? [];
  const bare = bracketed ?? beforePort ?? address;
  return IPV4_IN_IPV6.exec(bare)?.[1] ?? bare;
}

/** Identifies the client at an address: an IPv4 address, or the /64 of an IPv6 address. */
export function clientOf(address: string): string {
  if (!address.includes(":")) return address;
  const own = plain(address);
  if (!isIPv6(own)) return own;
  const [head = "", tail] = own.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right].slice(0, IPV6_GROUPS);
  // A group may be written with leading zeros.
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":");
}

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
    if (headers["x-forwarded-for"] === undefined) return clientOf(remoteAddress);
    if (this.isProxy(remoteAddress)) return clientOf(clientAddress(request, this.#proxies));
    if (!this.#hasWarned) {
      this.#hasWarned = true;
      this.#onUntrusted(remoteAddress);
    }
    return clientOf(remoteAddress);
  }

  /** The client at an IP address. */
  at(address: string): Client {
    const key = clientOf(address);
    return this.#clients.get(key) ?? new Client(key);
  }

  /**
   * Counts a connection of a client as open.
   * @returns to be called once, when it is closed
   */
  open(client: Client, kind: string): () => void {
    const known = this.#clients.get(client.key) ?? client;
    this.#clients.set(client.key, known);
    known.count(kind, 1);
    return () => {
      known.count(kind, -1);
      if (known.isGone) this.#clients.delete(known.key);
    };
  }
}

/** The error for a client with the maximum number of connections. */
export function tooManyConnections(limit: number, path: string): ApiError {
  return new ApiError("TooManyRequests", `a client may have ${limit} connections to ${path}: close one first`);
}
