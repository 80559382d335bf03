import type { PacketPeer, PeerAdmission } from "../../devnet/protocol/packet-server.js";

/** The names are those of the reference node's properties. */
export interface ReferenceAdmissionOptions {
  readonly nodeEqualityStrategy: "public-key" | "host";
  readonly maxIncomingConnectionsPerIdentity: number;
  /** Prefixes of addresses that count as the node's own. */
  readonly localNetworks?: readonly string[];
  /** The node's identity, 32 bytes. */
  readonly nodePublicKey: Buffer;
}

interface Entry {
  readonly host: string;
  readonly key: string;
  readonly close: () => void;
}

/**
 * Accepts and closes connections as the reference node does (`PacketReaders.cpp`, `NodeContainerSubscriberAdapter.cpp`,
 * `NodeDataContainer.cpp`): a limit for each identity, one host for each key, with equality by host one key for each
 * host, and all connections of an identity are closed when one of them is rejected or breaks. Unlike there, a host is
 * free for another key as soon as its last connection is closed.
 */
export class ReferenceAdmission implements PeerAdmission {
  readonly #options: ReferenceAdmissionOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #keys = new Set<string>();
  /** Maximum number of concurrent connections. */
  max = 0;
  /** Why connections were rejected. */
  readonly rejections: string[] = [];

  constructor(options: ReferenceAdmissionOptions) {
    this.#options = options;
  }

  /** Open connections. */
  get count(): number {
    return this.#entries.size;
  }

  /** Different identities that were accepted so far. */
  get identities(): number {
    return this.#keys.size;
  }

  enter(peer: PacketPeer, close: () => void): boolean {
    const entry = { host: hostOf(peer), key: peer.publicKey.toString("hex"), close };
    if (this.#same(entry).length >= this.#options.maxIncomingConnectionsPerIdentity) {
      this.rejections.push("max connections in use");
      return false;
    }
    if (this.#isConflict(entry)) {
      this.rejections.push("in use identity key");
      this.#closeAll(entry);
      return false;
    }
    this.#entries.set(peer.address, entry);
    this.#keys.add(entry.key);
    this.max = Math.max(this.max, this.#entries.size);
    return true;
  }

  leave(peer: PacketPeer, error?: Error): void {
    const entry = this.#entries.get(peer.address);
    this.#entries.delete(peer.address);
    if (entry && error) this.#closeAll(entry);
  }

  #same(entry: Entry): Entry[] {
    const field = this.#options.nodeEqualityStrategy === "host" ? "host" : "key";
    return [...this.#entries.values()].filter((other) => other[field] === entry[field]);
  }

  #closeAll(entry: Entry): void {
    for (const { close } of this.#same(entry)) close();
  }

  #isConflict({ host, key }: Entry): boolean {
    const { nodeEqualityStrategy, nodePublicKey } = this.#options;
    const isHost = nodeEqualityStrategy === "host";
    const [place, ownKey] = [this.#placeOf(host), nodePublicKey.toString("hex")];
    const known = [{ place: "_local_", key: ownKey }];
    for (const other of this.#entries.values()) known.push({ place: this.#placeOf(other.host), key: other.key });
    return known.some((one) => (one.key === key ? one.place !== place : isHost && one.place === place));
  }

  #placeOf(host: string): string {
    return this.#options.localNetworks?.some((network) => host.startsWith(network)) ? "_local_" : host;
  }
}

function hostOf({ address }: PacketPeer): string {
  return address.slice(0, address.lastIndexOf(":"));
}
