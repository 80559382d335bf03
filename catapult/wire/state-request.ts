import { hex } from "../entity/hex.js";
import { describePacketType, PacketType } from "./packet-type.js";
import type { NodeRequest } from "./requests.js";

/** A state value by its key; `undefined` if the node has none. */
export interface StateValue {
  readonly key: Buffer;
  readonly value: Buffer | undefined;
}

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
  [PacketType.accountInfos, ADDRESS],
  [PacketType.hashLockInfos, HASH],
  [PacketType.secretLockInfos, HASH],
  [PacketType.metadataInfos, HASH],
  [PacketType.mosaicInfos, ID],
  [PacketType.multisigInfos, ADDRESS],
  [PacketType.namespaceInfos, ID],
  [PacketType.accountRestrictionsInfos, ADDRESS],
  [PacketType.mosaicRestrictionsInfos, HASH],
]);

const INFO_HEADER_SIZE = 8;
/**
 * Maximum size of one state value, including its key and sizes. The longest lists in values are limited by their
 * 16-bit counts: 65,535 mosaics of an account take 1 MiB.
 */
const MAX_INFO_SIZE = 2 * 1024 * 1024;
/** A branch has 16 hashes and a key 64 nibbles, which limits a path. */
const MAX_PATH_SIZE = 64 * 1024;

/**
 * State values by their keys, in the bytes whose hash is in the state tree. Needs a node that trusts us. Keys:
 * addresses (24 bytes), ids (8 bytes, little-endian) or hashes (32 bytes), depending on the packet type.
 * @param packetType one of the `…Infos` types
 * @throws RangeError for another packet type, no key, or a key of an invalid size
 */
export function stateValuesRequest(packetType: number, keys: readonly Buffer[]): NodeRequest<StateValue[]> {
  if (keys.length === 0) throw new RangeError("keys must not be empty: a node does not answer then");
  for (const key of keys) checkKey(packetType, key);
  const keySize = keys[0]!.length;
  return {
    name: `${describePacketType(packetType)} of ${keys.length} keys`,
    type: packetType,
    payload: Buffer.concat(keys),
    maxAnswerSize: keys.length * MAX_INFO_SIZE,
    decode: (reader) => {
      const values = keys.map((key, index): StateValue => {
        const size = reader.uint32(`values[${index}].size`);
        const dataSize = reader.uint32(`values[${index}].dataSize`);
        if (size !== INFO_HEADER_SIZE + keySize + dataSize) {
          throw reader.error(`values[${index}].size`, `is ${size}, with ${dataSize} bytes of data`);
        }
        if (!reader.bytes(keySize, `values[${index}].key`).equals(key)) {
          throw reader.error(`values[${index}].key`, "is not the requested one");
        }
        const data = reader.bytes(dataSize, `values[${index}].data`);
        return { key, value: dataSize === 0 ? undefined : data };
      });
      return values;
    },
  };
}

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
