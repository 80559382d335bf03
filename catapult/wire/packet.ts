import { PacketError } from "./errors.js";

/** Size of `size u32 | type u32`, little-endian, before every payload. */
export const PACKET_HEADER_SIZE = 8;

/** The reference node's default limit. */
const MAX_PAYLOAD_SIZE = 150 * 1024 * 1024;

/** Maximum size of a packet. */
export const DEFAULT_MAX_PACKET_SIZE = MAX_PAYLOAD_SIZE + PACKET_HEADER_SIZE;

/** A packet without its size: the content of a frame of the node's protocol. */
export interface Packet {
  readonly type: number;
  readonly payload: Buffer;
}

const EMPTY: Buffer = Buffer.alloc(0);
const HAND_OVER_SIZE = 64 * 1024;

/**
 * The frame of a packet.
 * @throws RangeError if it is too long for the 32-bit size field
 */
export function encodePacket(type: number, payload: Buffer = EMPTY): Buffer {
  const size = PACKET_HEADER_SIZE + payload.length;
  if (size > 0xffff_ffff) throw new RangeError(`a packet of ${size} bytes is too large for its size field`);
  const frame = Buffer.allocUnsafe(size);
  frame.writeUInt32LE(size, 0);
  frame.writeUInt32LE(type, 4);
  payload.copy(frame, PACKET_HEADER_SIZE);
  return frame;
}

/**
 * Splits a stream of bytes into packets: `append` received bytes, then call `next` until it returns `undefined`.
 * Memory grows with the bytes received (at most twice as many), never with the value of a size field.
 */
export class PacketReader {
  readonly #maxPacketSize: number;
  readonly #source: string;
  #buffer: Buffer = EMPTY;
  #start = 0;
  #end = 0;

  /**
   * @param options.maxPacketSize limit in bytes, header included
   * @param options.source `host:port` of the sender, for messages
   */
  constructor(options: { maxPacketSize?: number; source?: string } = {}) {
    this.#maxPacketSize = options.maxPacketSize ?? DEFAULT_MAX_PACKET_SIZE;
    this.#source = options.source ?? "unknown";
  }

  /** Bytes received that are not yet part of a packet. */
  get bufferedBytes(): number {
    return this.#end - this.#start;
  }

  /** Size of the memory allocated for them. */
  get allocatedBytes(): number {
    return this.#buffer.length;
  }

  /** Adds received bytes. The reader may keep `chunk`, which must not be changed afterwards. */
  append(chunk: Buffer): void {
    if (this.bufferedBytes === 0) {
      this.#buffer = chunk;
      this.#start = 0;
      this.#end = chunk.length;
      return;
    }
    if (this.#end + chunk.length > this.#buffer.length) this.#grow(this.bufferedBytes + chunk.length);
    chunk.copy(this.#buffer, this.#end);
    this.#end += chunk.length;
  }

  /**
   * The next whole packet, or `undefined` until more bytes arrive. The caller owns its payload.
   * @param request the request that it answers, with the largest payload it allows, in bytes
   * @throws PacketError as soon as a size field is below 8 or above the limit.
   */
  next(request?: { readonly type: number; readonly maxAnswerSize: number }): Packet | undefined {
    const size = this.#announcedSize();
    if (size !== undefined && request && size > request.maxAnswerSize + PACKET_HEADER_SIZE) {
      throw new PacketError(this.#source, size, request.maxAnswerSize + PACKET_HEADER_SIZE, request.type);
    }
    if (size === undefined || this.bufferedBytes < size) return undefined;

    const type = this.#buffer.readUInt32LE(this.#start + 4);
    const bytes = this.#buffer.subarray(this.#start + PACKET_HEADER_SIZE, this.#start + size);
    const isAlone = this.bufferedBytes === size;
    // A small payload is copied, so that keeping it does not keep the chunk it arrived in.
    const payload = isAlone && size >= HAND_OVER_SIZE ? bytes : Buffer.from(bytes);

    this.#start += size;
    if (isAlone) this.clear();
    return { type, payload };
  }

  /** Forgets what was received of an incomplete packet. */
  clear(): void {
    this.#buffer = EMPTY;
    this.#start = 0;
    this.#end = 0;
  }

  #announcedSize(): number | undefined {
    if (this.bufferedBytes < PACKET_HEADER_SIZE) return undefined;
    const size = this.#buffer.readUInt32LE(this.#start);
    if (size < PACKET_HEADER_SIZE || size > this.#maxPacketSize) {
      throw new PacketError(this.#source, size, this.#maxPacketSize);
    }
    return size;
  }

  #grow(needed: number): void {
    const doubled = Math.min(2 * this.bufferedBytes, this.#announcedSize() ?? PACKET_HEADER_SIZE);
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, doubled));
    this.#buffer.copy(grown, 0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    this.#buffer = grown;
  }
}
