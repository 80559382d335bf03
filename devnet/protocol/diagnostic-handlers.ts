import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { PacketHandler } from "./packet-server.js";
import { uint32, uint64, withoutPayload } from "./payload.js";

const NODE_VERSION = 0x01000308;
const ROLES = { peer: 1, api: 2, voting: 4, ipv4: 64 } as const;
const EMPTY = Buffer.alloc(0);

/** What a node reports about itself. */
export interface DiagnosticHandlersOptions {
  readonly network: NetworkIdentity;
  /** Main public key, 32 bytes. */
  readonly publicKey: Buffer;
  readonly friendlyName: string;
  /** The endpoint of this node for others. */
  readonly endpoint: () => { host: string; port: number };
  /** Public keys of the accounts that harvest here, 32 bytes each. */
  readonly harvesters: readonly Buffer[];
  /** Milliseconds since the network's epoch. */
  readonly now: () => number;
}

/** Responses about the node itself by packet type, as the reference node's. It knows no other nodes. */
export function diagnosticHandlers(options: DiagnosticHandlersOptions): [number, PacketHandler][] {
  const { harvesters, now } = options;
  return [
    [PacketType.nodeDiscoveryPullPing, withoutPayload(() => nodeInfo(options))],
    [PacketType.nodeDiscoveryPullPeers, withoutPayload(() => EMPTY)],
    [PacketType.nodeDiscoveryPushPing, () => undefined],
    [PacketType.nodeDiscoveryPushPeers, () => undefined],
    [PacketType.timeSyncNetworkTime, withoutPayload(() => networkTime(now))],
    [PacketType.unlockedAccounts, withoutPayload(() => Buffer.concat(harvesters))],
  ];
}

/** When the response is sent, and when the request was received, which comes first. */
function networkTime(now: () => number): Buffer {
  const received = BigInt(now());
  return uint64(BigInt(now()), received);
}

/** The node's information about itself (catapult `ionet/NetworkNode`). */
function nodeInfo({ publicKey, network, endpoint, friendlyName }: DiagnosticHandlersOptions): Buffer {
  const { host, port } = endpoint();
  const tail = Buffer.alloc(5);
  tail.writeUInt16LE(port, 0);
  tail.writeUInt8(network.identifier, 2);
  tail.writeUInt8(Buffer.byteLength(host), 3);
  tail.writeUInt8(Buffer.byteLength(friendlyName), 4);
  const fields = [
    uint32(NODE_VERSION),
    publicKey,
    network.generationHashSeed,
    uint32(ROLES.peer | ROLES.api | ROLES.voting | ROLES.ipv4),
    tail,
    Buffer.from(host + friendlyName),
  ];
  const size = fields.reduce((total, field) => total + field.length, 4);
  return Buffer.concat([uint32(size), ...fields]);
}
