import { hex } from "../entity/hex.js";
import { describePacketType, PacketType } from "./packet-type.js";
import type { NodeRequest } from "./requests.js";

const ADDRESS = 24;
const HASH = 32;
const ID = 8;

/** A node does not answer requests with keys of an invalid size, so they are rejected here. */
const KEY_SIZES = new Map<number, number>([
  [PacketType.accountStatePath, ADDRESS],
  [PacketType.hashLockStatePath, HASH],
  [PacketType.secretLockStatePath, HASH],
  [PacketType.metadataStatePath, HASH],
  [PacketType.mosaicStatePath, ID],
  [PacketType.multisigStatePath, ADDRESS],
  [PacketType.namespaceStatePath, ID],
  [PacketType.accountRestrictionsStatePath, ADDRESS],
  [PacketType.mosaicRestrictionsStatePath, HASH],
]);

/** A branch has 16 hashes and a key 64 nibbles, which limits a path. */
const MAX_PATH_SIZE = 64 * 1024;

/**
 * The nodes of the state tree on the path to a key, concatenated, from the root; if there is no such key, those that
 * prove its absence. Empty if the tree is empty.
 * @param packetType one of the `…StatePath` types
 * @throws RangeError for another packet type or a key of an invalid size
 */
export function statePathRequest(packetType: number, key: Buffer): NodeRequest<Buffer> {
  checkKey(packetType, key);
  return {
    name: `${describePacketType(packetType)} of ${hex(key)}`,
    type: packetType,
    payload: key,
    maxAnswerSize: MAX_PATH_SIZE,
    decode: (reader) => reader.bytes(reader.remaining, "path"),
  };
}

function checkKey(packetType: number, key: Buffer): void {
  const size = KEY_SIZES.get(packetType);
  if (size === undefined) throw new RangeError(`${describePacketType(packetType)} does not request state`);
  if (key.length !== size) {
    throw new RangeError(`a key of ${describePacketType(packetType)} must have ${size} bytes, not ${key.length}`);
  }
}
