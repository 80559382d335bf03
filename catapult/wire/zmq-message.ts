import { ADDRESS_SIZE } from "../entity/address.js";
import { blockHeaderSize } from "../entity/block-entity.js";
import { BLOCK, TRANSACTION, VERIFIABLE } from "../entity/entity-layout.js";
import { hex } from "../entity/hex.js";

/** A block was added to the node's chain. */
export interface BlockMessage {
  readonly kind: "block";
  readonly height: number;
  /** The header, 376 or 424 bytes; its size field is that of the whole block. */
  readonly header: Buffer;
  readonly hash: Buffer;
  readonly generationHash: Buffer;
}

/** The node rolled back: `height` is the last block that it kept. */
export interface DroppedBlocksMessage {
  readonly kind: "droppedBlocks";
  readonly height: number;
}

export interface FinalizedBlockMessage {
  readonly kind: "finalizedBlock";
  readonly epoch: number;
  readonly point: number;
  readonly height: number;
  readonly hash: Buffer;
}

/** A transaction was added to a block, the pool, or the cache of partial aggregates. */
export interface TransactionMessage {
  readonly kind: "confirmed" | "unconfirmed" | "partial";
  /** The address that this copy of the message is for, 24 bytes, unresolved. */
  readonly address: Buffer;
  /** The whole transaction; a partial one without its cosignatures. */
  readonly transaction: Buffer;
  readonly hash: Buffer;
  /** Zeros for a partial one. */
  readonly merkleComponentHash: Buffer;
  /** 0 unless confirmed. */
  readonly height: number;
}

/** A transaction was removed from the pool, or from the cache of partial aggregates; the message does not say why. */
export interface RemovedMessage {
  readonly kind: "unconfirmedRemoved" | "partialRemoved";
  readonly address: Buffer;
  readonly hash: Buffer;
}

/** A cosignature was added to a partial aggregate. */
export interface CosignatureMessage {
  readonly kind: "cosignature";
  readonly address: Buffer;
  readonly version: bigint;
  readonly signerPublicKey: Buffer;
  readonly signature: Buffer;
  /** Hash of the aggregate. */
  readonly parentHash: Buffer;
}

/** A transaction was rejected. */
export interface StatusMessage {
  readonly kind: "status";
  readonly address: Buffer;
  readonly hash: Buffer;
  /** Milliseconds since the network's epoch; unverified, may be any value. */
  readonly deadline: bigint;
  /** A validation result, see `status-code.ts`. */
  readonly code: number;
}

/** Messages that the broker of a node publishes. */
export type BrokerMessage =
  | BlockMessage
  | DroppedBlocksMessage
  | FinalizedBlockMessage
  | TransactionMessage
  | RemovedMessage
  | CosignatureMessage
  | StatusMessage;

/** Frames that are not a valid message of a broker. `what` is the expected kind, `problem` the reason. */
export class BrokerMessageError extends Error {
  readonly what: string;
  readonly problem: string;

  constructor(what: string, problem: string) {
    super(`${what}: ${problem}`);
    this.name = "BrokerMessageError";
    this.what = what;
    this.problem = problem;
  }
}

/**
 * The first bytes of every message of a kind, used to subscribe. Blocks have markers of 8 bytes; the others a letter,
 * followed by the address (`zeromq/src/PublisherUtils.h` of the reference node).
 */
export const BROKER_TOPIC = {
  block: Buffer.from("496ACA80E4D8F29F", "hex"),
  droppedBlocks: Buffer.from("B0B025EE8AD6205C", "hex"),
  finalizedBlock: Buffer.from("5479CE31A032484D", "hex"),
  confirmed: Buffer.from("a"),
  unconfirmed: Buffer.from("u"),
  unconfirmedRemoved: Buffer.from("r"),
  partial: Buffer.from("p"),
  partialRemoved: Buffer.from("q"),
  cosignature: Buffer.from("c"),
  status: Buffer.from("s"),
} as const satisfies Record<BrokerMessage["kind"], Buffer>;

/**
 * Decodes the frames of one message.
 * @throws BrokerMessageError naming the kind of message and the frame or field
 */
export function decodeBrokerMessage(frames: readonly Buffer[]): BrokerMessage {
  const [topic, ...parts] = frames;
  if (!topic) throw new BrokerMessageError("message", "has no frames");
  const kind = kindOf(topic);
  if (!kind) throw new BrokerMessageError("topic", `${hex(topic.subarray(0, 32))} is unknown`);
  const address = topic.subarray(1);
  switch (kind) {
    case "block":
      return decodeBlockMessage(parts);
    case "droppedBlocks": {
      const [height] = split(kind, parts, { height: 8 });
      return { kind, height: safeInteger(kind, "height", height) };
    }
    case "finalizedBlock": {
      const [round] = split(kind, parts, { round: 48 });
      return {
        kind,
        epoch: round.readUInt32LE(0),
        point: round.readUInt32LE(4),
        height: safeInteger(kind, "height", round.subarray(8, 16)),
        hash: round.subarray(16),
      };
    }
    case "confirmed":
    case "unconfirmed":
    case "partial":
      return decodeTransactionMessage(kind, address, parts);
    case "unconfirmedRemoved":
    case "partialRemoved": {
      const [hash] = split(kind, parts, { hash: 32 });
      return { kind, address, hash };
    }
    case "cosignature": {
      const [bytes] = split(kind, parts, { cosignature: 136 });
      return { kind, address, ...decodeDetachedCosignature(bytes) };
    }
    case "status": {
      const [status] = split(kind, parts, { status: 44 });
      return {
        kind,
        address,
        hash: status.subarray(0, 32),
        deadline: status.readBigUInt64LE(32),
        code: status.readUInt32LE(40),
      };
    }
  }
}

/** A cosignature as exchanged by nodes (136 bytes): version, public key, signature, hash of the aggregate. */
export function decodeDetachedCosignature(bytes: Buffer): Omit<CosignatureMessage, "kind" | "address"> {
  return {
    version: bytes.readBigUInt64LE(0),
    signerPublicKey: bytes.subarray(8, 40),
    signature: bytes.subarray(40, 104),
    parentHash: bytes.subarray(104, 136),
  };
}

const kindsByTopic = new Map(
  Object.entries(BROKER_TOPIC).map(([kind, topic]) => [topic.toString("hex"), kind as BrokerMessage["kind"]]),
);

function kindOf(topic: Buffer): BrokerMessage["kind"] | undefined {
  if (topic.length === 8) return kindsByTopic.get(topic.toString("hex"));
  return topic.length === 1 + ADDRESS_SIZE ? kindsByTopic.get(topic.toString("hex", 0, 1)) : undefined;
}

function decodeBlockMessage(parts: readonly Buffer[]): BlockMessage {
  const kind = "block";
  const [header, hash, generationHash] = split(kind, parts, { header: undefined, hash: 32, generationHash: 32 });
  if (header.length < BLOCK.normalHeaderSize) {
    throw new BrokerMessageError(kind, `header has ${header.length} bytes, less than any header`);
  }
  const type = header.readUInt16LE(VERIFIABLE.type);
  const size = blockHeaderSize(type);
  if (size !== undefined && size !== header.length) {
    throw new BrokerMessageError(kind, `header of type 0x${type.toString(16)} has ${header.length} bytes`);
  }
  const height = safeInteger(kind, "height", header.subarray(BLOCK.height, BLOCK.height + 8));
  return { kind, height, header, hash, generationHash };
}

function decodeTransactionMessage(
  kind: TransactionMessage["kind"],
  address: Buffer,
  parts: readonly Buffer[],
): TransactionMessage {
  const [transaction, hash, merkleComponentHash, height] = split(kind, parts, {
    transaction: undefined,
    hash: 32,
    merkleComponentHash: 32,
    height: 8,
  });
  const size = transaction.length < TRANSACTION.headerSize ? undefined : transaction.readUInt32LE(VERIFIABLE.size);
  if (size !== transaction.length) {
    throw new BrokerMessageError(
      kind,
      `transaction has ${transaction.length} bytes, its size field says ${size ?? "nothing"}`,
    );
  }
  return { kind, address, transaction, hash, merkleComponentHash, height: safeInteger(kind, "height", height) };
}

/** As many frames as a layout has names. */
type Frames = readonly [Buffer, Buffer, Buffer, Buffer];

/** The frames after the topic, named in order by a layout, each with its size in bytes if it is fixed. */
function split(kind: string, parts: readonly Buffer[], layout: Readonly<Record<string, number | undefined>>): Frames {
  const names = Object.keys(layout);
  if (parts.length !== names.length) {
    const wanted = `${names.length} (${names.join(", ")})`;
    throw new BrokerMessageError(kind, `has ${parts.length} frames after the topic instead of ${wanted}`);
  }
  for (const [index, name] of names.entries()) {
    const size = layout[name];
    const actual = parts[index]?.length;
    if (size !== undefined && actual !== size) {
      throw new BrokerMessageError(kind, `${name} has ${actual} bytes instead of ${size}`);
    }
  }
  return parts as unknown as Frames;
}

function safeInteger(kind: string, field: string, bytes: Buffer): number {
  const value = bytes.readBigUInt64LE(0);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new BrokerMessageError(kind, `${field} is ${value}`);
  return Number(value);
}
