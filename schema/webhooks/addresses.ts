import { BlockList, isIP } from "node:net";

/** IPv4 networks that are not public (IANA special-purpose addresses, multicast, reserved). */
const PRIVATE_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Of IPv6, only 2000::/3 is public, without documentation addresses and those that contain IPv4 addresses. */
const PUBLIC_IPV6 = ["2000::", 3] as const;
const PRIVATE_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const MAX_PREFIX = { 4: 32, 6: 128 } as const;

/** Which addresses webhooks may be delivered to: public ones, and those that a setting allows. */
export class ReceiverAddresses {
  readonly #private = new BlockList();
  readonly #public = new BlockList();
  readonly #allowed = new BlockList();

  /** @param allowed addresses and networks such as `10.0.0.0/8` that are not public */
  constructor(allowed: readonly string[] = []) {
    for (const [network, prefix] of PRIVATE_IPV4) this.#private.addSubnet(network, prefix, "ipv4");
    for (const [network, prefix] of PRIVATE_IPV6) this.#private.addSubnet(network, prefix, "ipv6");
    this.#public.addSubnet(...PUBLIC_IPV6, "ipv6");
    for (const entry of allowed) {
      const [network = "", prefix] = entry.split("/");
      const family = isIP(network) as 4 | 6;
      this.#allowed.addSubnet(network, Number(prefix ?? MAX_PREFIX[family]), `ipv${family}`);
    }
  }

  /** Whether an IP address may be connected to. */
  has(address: string): boolean {
    const family = isIP(address);
    if (family === 0) return false;
    const type = family === 4 ? "ipv4" : "ipv6";
    if (this.#allowed.check(address, type)) return true;
    if (this.#private.check(address, type)) return false;
    return family === 4 || this.#public.check(address, type);
  }
}
