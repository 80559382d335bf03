import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";

/** 16-bit groups of an IPv6 address that identify a client (a /64): hosts choose the rest. */
const IPV6_GROUPS = 4;
const IPV4_IN_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The proxies whose word about their clients is taken: addresses and networks. */
export class TrustedProxies {
  readonly #list = new BlockList();

  /**
   * @param entries IP addresses and networks such as `10.0.0.0/8`
   * @throws RangeError naming an entry that is none of both
   */
  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(entry);
  }

  has(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 4 ? "ipv4" : "ipv6");
  }

  #add(entry: string): void {
    const [address = "", prefix, more] = entry.split("/");
    const family = isIP(address);
    const longest = family === 4 ? 32 : 128;
    const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (family === 0 || more !== undefined || !(bits <= longest)) {
      throw new RangeError(`${JSON.stringify(entry)} is no IP address and no network such as 10.0.0.0/8`);
    }
    this.#list.addSubnet(address, bits, family === 4 ? "ipv4" : "ipv6");
  }
}

/**
 * The address of whoever sent a request: of the socket or, where that is a trusted proxy, the last one in
 * `X-Forwarded-For` that is none. What stands further left in that header anybody may have written. IPv4 addresses
 * within IPv6 are given as IPv4.
 */
export function clientAddress({ socket, headers }: IncomingMessage, proxies: TrustedProxies): string {
  const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
  let address = plain(socket.remoteAddress ?? "");
  for (const one of forwarded.reverse()) {
    const before = plain(one.trim());
    if (!proxies.has(address) || isIP(before) === 0) break;
    address = before;
  }
  return address;
}

function plain(address: string): string {
  return IPV4_IN_IPV6.exec(address)?.[1] ?? address;
}

/** What identifies the client at an address: an IPv4 address itself, of an IPv6 address the network of 64 bits. */
export function clientOf(address: string): string {
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
