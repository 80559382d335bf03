import { DEFAULT_MAX_PACKET_SIZE } from "./packet.js";
import { PacketType } from "./packet-type.js";
import { PayloadReader } from "./payload-reader.js";

/** A request to a node, and the decoder of its response. */
export interface NodeRequest<T> {
  /** For messages, such as `blocks from height 7`. */
  readonly name: string;
  readonly type: number;
  readonly payload?: Buffer;
  /** Packet types of the response; default that of the request. */
  readonly accept?: readonly number[];
  /** Maximum payload size of a valid response; default {@link SMALL_ANSWER}. More is cut off. */
  readonly maxAnswerSize?: number;
  /** Throws NodeResponseError (through the reader) when the payload is invalid. */
  readonly decode: (reader: PayloadReader) => T;
}

/** Well above the size of any response of a fixed size, or of a few hundred bytes. */
export const SMALL_ANSWER = 64 * 1024;
/** The same for lists whose length the node decides: keys, peers, votes. */
export const LIST_ANSWER = 16 * 1024 * 1024;
/**
 * The same if no rule of the network sets a lower limit: a single block, or the receipts of a block. Only the node's
 * limit for packets (150 MiB) applies.
 */
export const UNBOUNDED_ANSWER = DEFAULT_MAX_PACKET_SIZE;
/**
 * Decodes the payload of a response completely.
 * @param node `host:port`, for messages
 * @throws NodeResponseError
 */
export function decodeAnswer<T>(request: NodeRequest<T>, payload: Buffer, node: string): T {
  const reader = new PayloadReader(payload, { node, request: request.name });
  const decoded = request.decode(reader);
  reader.end();
  return decoded;
}

export interface ChainStatistics {
  readonly height: number;
  readonly finalizedHeight: number;
  /** Upper and lower 64 bits of the chain's score. */
  readonly scoreHigh: bigint;
  readonly scoreLow: bigint;
}

/** The whole score. */
export function joinScore({ scoreHigh, scoreLow }: ChainStatistics): bigint {
  return (scoreHigh << 64n) | scoreLow;
}

/** When the node received the request and sent the response, in ms since the network's epoch. */
export interface CommunicationTimestamps {
  readonly sendTimestamp: number;
  readonly receiveTimestamp: number;
}

const HASH_SIZE = 32;
const BLOCK_HEIGHT_OFFSET = 112;
/** Header of a normal block, the smallest possible block. */
const BLOCK_MIN_SIZE = 376;

/** Height, finalized height and score of the node's chain, all from one moment. */
export function chainStatisticsRequest(): NodeRequest<ChainStatistics> {
  return {
    name: "chain statistics",
    type: PacketType.chainStatistics,
    decode: (reader) => ({
      height: reader.safeUint64("height"),
      finalizedHeight: reader.safeUint64("finalizedHeight"),
      scoreHigh: reader.uint64("scoreHigh"),
      scoreLow: reader.uint64("scoreLow"),
    }),
  };
}

/** Hashes (32 bytes) of the blocks from a height upwards: at most `maxHashes`, and the node's limit (84 by default). */
export function blockHashesRequest(fromHeight: number, maxHashes: number): NodeRequest<Buffer[]> {
  const payload = Buffer.concat([uint64(fromHeight, "fromHeight"), uint32(maxHashes, "maxHashes")]);
  return {
    name: `block hashes from height ${fromHeight}`,
    type: PacketType.blockHashes,
    payload,
    maxAnswerSize: Math.max(SMALL_ANSWER, maxHashes * HASH_SIZE),
    decode: (reader) => atMost(reader, reader.rest(32, "hashes"), maxHashes, "hashes"),
  };
}

/** How many blocks are requested at once. */
export interface BlockLimits {
  readonly maxBlocks: number;
  readonly maxBytes: number;
  /** Larger responses are cut off; default that of a packet. A single block may be larger than `maxBytes`. */
  readonly maxAnswerSize?: number;
}

/**
 * Blocks from a height upwards: at most `maxBlocks`, and the node's limit (42 by default). It sends at most
 * `maxBytes`, but always at least one block.
 */
export function blocksRequest(fromHeight: number, limits: BlockLimits): NodeRequest<Buffer[]> {
  const payload = Buffer.concat([
    uint64(fromHeight, "fromHeight"),
    uint32(limits.maxBlocks, "maxBlocks"),
    uint32(limits.maxBytes, "maxBytes"),
  ]);
  return {
    name: `blocks from height ${fromHeight}`,
    type: PacketType.pullBlocks,
    payload,
    maxAnswerSize: limits.maxAnswerSize ?? UNBOUNDED_ANSWER,
    decode: (reader) => atMost(reader, splitBlocks(reader, fromHeight), limits.maxBlocks, "blocks"),
  };
}

/** The node's clock, corrected by those of its peers. */
export function timeRequest(): NodeRequest<CommunicationTimestamps> {
  return {
    name: "network time",
    type: PacketType.timeSyncNetworkTime,
    decode: (reader) => ({
      sendTimestamp: reader.safeUint64("sendTimestamp"),
      receiveTimestamp: reader.safeUint64("receiveTimestamp"),
    }),
  };
}

/** Public keys (32 bytes) of the accounts that harvest on the node. Not answered by a node that does not trust us. */
export function unlockedAccountsRequest(): NodeRequest<Buffer[]> {
  return {
    name: "unlocked accounts",
    type: PacketType.unlockedAccounts,
    maxAnswerSize: LIST_ANSWER,
    decode: (reader) => reader.rest(32, "publicKeys"),
  };
}

/**
 * A field of a request, 8 bytes little-endian.
 * @throws RangeError naming it when it is not a safe integer from 0
 */
export function uint64(value: number, name: string): Buffer {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`${name} must be an integer from 0, not ${value}`);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/**
 * A field of a request, 4 bytes little-endian.
 * @throws RangeError naming it when it is out of range
 */
export function uint32(value: number, name: string): Buffer {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) {
    throw new RangeError(`${name} must be an integer from 0 to 4294967295, not ${value}`);
  }
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Consecutive entities, each beginning with its size (u32, itself included). */
export function splitEntities(reader: PayloadReader, minSize: number, nameOf: (index: number) => string): Buffer[] {
  const entities: Buffer[] = [];
  while (reader.remaining > 0) {
    const name = `${nameOf(entities.length)} at offset ${reader.offset}`;
    const size = reader.peekUint32(`size of ${name}`);
    if (size < minSize) throw reader.error(`size of ${name}`, `is ${size}, below the minimum of ${minSize}`);
    entities.push(reader.bytes(size, name));
  }
  return entities;
}

function splitBlocks(reader: PayloadReader, fromHeight: number): Buffer[] {
  const blocks = splitEntities(reader, BLOCK_MIN_SIZE, (index) => `block ${fromHeight + index}`);
  for (const [index, block] of blocks.entries()) {
    const height = block.readBigUInt64LE(BLOCK_HEIGHT_OFFSET);
    if (height !== BigInt(fromHeight + index))
      throw reader.error(`height of block ${fromHeight + index}`, `is ${height}`);
  }
  return blocks;
}

function atMost(reader: PayloadReader, items: Buffer[], limit: number, field: string): Buffer[] {
  if (items.length > limit) throw reader.error(field, `are ${items.length}, more than the requested ${limit}`);
  return items;
}
