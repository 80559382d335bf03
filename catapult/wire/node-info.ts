import { PacketType } from "./packet-type.js";
import type { PayloadReader } from "./payload-reader.js";
import { LIST_ANSWER, type NodeRequest } from "./requests.js";

/** A node's information about itself or another node. */
export interface NodeInfo {
  /** Four numbers, a byte each: 0x01000308 is 1.0.3.8. */
  readonly version: number;
  readonly publicKey: Buffer;
  readonly networkGenerationHashSeed: Buffer;
  /** Bits: 1 peer, 2 API, 4 voting, 64 IPv4, 128 IPv6. */
  readonly roles: number;
  readonly port: number;
  readonly networkIdentifier: number;
  readonly host: string;
  readonly friendlyName: string;
  /** Key of the node's own certificate, 32 bytes; known only for a node that we are connected to. */
  readonly nodePublicKey?: Buffer;
}

/** The node's information about itself. */
export function nodeInfoRequest(): NodeRequest<NodeInfo> {
  return { name: "node info", type: PacketType.nodeDiscoveryPullPing, decode: readNodeInfo };
}

/** The peers of the node. */
export function peersRequest(): NodeRequest<NodeInfo[]> {
  return {
    name: "peers",
    type: PacketType.nodeDiscoveryPullPeers,
    maxAnswerSize: LIST_ANSWER,
    decode: (reader) => {
      const peers: NodeInfo[] = [];
      while (reader.remaining > 0) peers.push(readNodeInfo(reader));
      return peers;
    },
  };
}

/** Decodes a node info (`ionet/NetworkNode.h`). */
export function readNodeInfo(reader: PayloadReader): NodeInfo {
  const start = reader.offset;
  const size = reader.uint32("size");
  const fixed = {
    version: reader.uint32("version"),
    publicKey: reader.bytes(32, "publicKey"),
    networkGenerationHashSeed: reader.bytes(32, "networkGenerationHashSeed"),
    roles: reader.uint32("roles"),
    port: reader.uint16("port"),
    networkIdentifier: reader.uint8("networkIdentifier"),
  };
  const hostSize = reader.uint8("hostSize");
  const friendlyNameSize = reader.uint8("friendlyNameSize");
  const info = {
    ...fixed,
    host: reader.bytes(hostSize, "host").toString("utf8"),
    friendlyName: reader.bytes(friendlyNameSize, "friendlyName").toString("utf8"),
  };
  if (reader.offset - start !== size)
    throw reader.error("size", `is ${size}, the node info has ${reader.offset - start} bytes`);
  return info;
}
