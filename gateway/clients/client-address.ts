import type { IncomingMessage } from "node:http";
import { isIP, isIPv6 } from "node:net";
// Finds the client behind trusted proxies; a dependency of express.
import proxyAddr from "proxy-addr";

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
