import type { IncomingMessage } from "node:http";
import { BlockList, isIP, SocketAddress } from "node:net";
import { LRUCache } from "lru-cache";

// The one place that reads addresses of clients.

/** An address with a port, as some proxies write it: `203.0.113.9:4711`, `[2001:db8::1]:4711`, or brackets alone. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/;
/** In the form that Node writes. */
const IPV4_IN_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;
/** The longest text that may be an address with a port, in characters. */
const MAX_LENGTH = 64;
/** Proxies between a client and this server. */
const MAX_HOPS = 16;
/** 16-bit groups of an IPv6 address that identify a client (a /64): hosts choose the rest. */
const IPV6_GROUPS = 4;
const PREFIX = /^\d{1,3}$/;

/** Normalized addresses by their texts: Node's own functions take some microseconds. */
const normalized = new LRUCache<string, string>({ max: 10_000 });

/**
 * An address in its one form, without a port, with IPv4 within IPv6 as IPv4; "" for what is none.
 */
export function normalizeAddress(text: string): string {
  const given = text.trim();
  if (given.length > MAX_LENGTH) return "";
  const known = normalized.get(given);
  if (known !== undefined) return known;
  const [, bracketed, beforePort] = WITH_PORT.exec(given) ?? [];
  const address = bracketed ?? beforePort ?? given;
  const family = isIP(address);
  // A link-local address may name its interface.
  const own = family === 6 ? new SocketAddress({ address: address.split("%")[0]!, family: "ipv6" }).address : address;
  const result = family === 0 ? "" : (IPV4_IN_IPV6.exec(own)?.[1] ?? own);
  normalized.set(given, result);
  return result;
}

/** Identifies the client at an address: an IPv4 address, or the /64 of an IPv6 address. */
export function toClientKey(address: string): string {
  if (!address.includes(":")) return address;
  const own = normalizeAddress(address);
  if (!own.includes(":")) return own;
  const [head = "", tail] = own.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array<string>(zeros).fill("0"), ...right].slice(0, IPV6_GROUPS).join(":");
}

/** The proxies whose X-Forwarded-For is trusted: addresses and networks. */
export class TrustedProxies {
  readonly #networks = new BlockList();
  readonly #known = new LRUCache<string, boolean>({ max: 1_000 });

  /**
   * @param entries IP addresses and networks such as `10.0.0.0/8`
   * @throws RangeError naming an invalid entry
   */
  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(entry);
  }

  /** Whether an address belongs to one of them. */
  has(address: string): boolean {
    const own = normalizeAddress(address);
    if (own === "") return false;
    const known = this.#known.get(own) ?? this.#networks.check(own, own.includes(":") ? "ipv6" : "ipv4");
    this.#known.set(own, known);
    return known;
  }

  #add(entry: string): void {
    const [address = "", prefix, ...more] = entry.split("/");
    const family = isIP(address);
    const bits = family === 4 ? 32 : 128;
    const isPrefix = prefix === undefined || (PREFIX.test(prefix) && Number(prefix) <= bits);
    if (family === 0 || !isPrefix || more.length > 0)
      throw new RangeError(`${JSON.stringify(entry)} is neither an IP address nor a network such as 10.0.0.0/8`);
    this.#networks.addSubnet(address, Number(prefix ?? bits), family === 4 ? "ipv4" : "ipv6");
  }
}

/**
 * The address of the client that sent a request: of the socket or, if that is a trusted proxy, the last one in
 * `X-Forwarded-For` that is not. Entries further left can be forged, and are not read.
 */
export function clientAddress({ socket, headers }: IncomingMessage, proxies: TrustedProxies): string {
  const forwarded = String(headers["x-forwarded-for"] ?? "");
  let client = normalizeAddress(socket.remoteAddress ?? "");
  let end = forwarded.length;
  for (let hop = 0; hop < MAX_HOPS && end >= 0 && proxies.has(client); ++hop) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(",", end - 1);
    const address = normalizeAddress(forwarded.slice(comma + 1, end));
    // What is not an address was written by the client itself, or by a proxy that hides it.
    if (address === "") break;
    client = address;
    end = comma;
  }
  return client;
}
