import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import { encodePacket, PacketReader } from "../../catapult/wire/packet.js";
import { PacketType } from "../../catapult/wire/packet-type.js";

/** A snapshot cannot be saved or restored; the message says why. */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
}

const FORMAT = "symbol-gateway snapshot 2";
const FORMER_FORMAT = "symbol-gateway snapshot 1";
const MAX_HEADER_BYTES = 4_096;
/** A record is a packet of the type in which nodes send its content, which follows the start of its SHA-256. */
const TYPES = { block: PacketType.pushBlock, proof: PacketType.pullFinalizationProof };
const DIGEST_BYTES = 8;

/** The first line of a snapshot, in JSON; gzip-compressed records follow. */
export interface SnapshotHeader {
  readonly networkIdentifier: number;
  /** 64 hex digits. */
  readonly generationHashSeed: string;
  /** Heights of the newest block, and of the newest final one. */
  readonly height: number;
  readonly finalizedHeight: number;
}

/** A snapshot in a file, which is open only while it is read. */
export interface Snapshot {
  readonly path: string;
  readonly header: SnapshotHeader;
  /** Of the first record. */
  readonly start: number;
}

/** The first line of a snapshot. */
export function encodeHeader(header: SnapshotHeader): string {
  return `${JSON.stringify({ format: FORMAT, ...header })}\n`;
}

/** A record before it is compressed. */
export function encodeRecord(kind: keyof typeof TYPES, bytes: Buffer): Buffer {
  return encodePacket(TYPES[kind], Buffer.concat([digestOf(bytes), bytes]));
}

function digestOf(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest().subarray(0, DIGEST_BYTES);
}

/** @throws SnapshotError when the file is no snapshot; the system's error when it cannot be read */
export async function openSnapshot(path: string): Promise<Snapshot> {
  const file = await open(path);
  const reading = file.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
  const { buffer, bytesRead } = await reading.finally(() => file.close());
  const [line = ""] = buffer.toString("latin1", 0, bytesRead).split("\n", 1);
  if (line === FORMER_FORMAT) throw new SnapshotError(`${path} has a former format, which is not read: save it again`);
  const header = readHeader(line);
  if (!header) throw new SnapshotError(`${path} does not begin like a snapshot of this version of the format`);
  return { path, header, start: line.length + 1 };
}

/**
 * The blocks from height 1 on, and finalization proofs of later blocks with their epochs. One is held in memory, none is
 * longer than a packet of a node, whatever the file claims.
 * @throws SnapshotError naming the block after which the file is damaged or incomplete
 */
export async function* readRecords({ path, start }: Snapshot): AsyncGenerator<{ bytes: Buffer; epoch?: number }> {
  const reader = new PacketReader();
  let height = 0;
  try {
    for await (const part of pipeline(createReadStream(path, { start }), createGunzip(), () => undefined)) {
      reader.append(part as Buffer);
      for (let packet = reader.next(); packet; packet = reader.next()) {
        const bytes = packet.payload.subarray(DIGEST_BYTES);
        if (!packet.payload.subarray(0, DIGEST_BYTES).equals(digestOf(bytes))) throw new Error("a digest is wrong");
        if (packet.type === TYPES.block) height += 1;
        yield packet.type === TYPES.block ? { bytes } : { bytes, epoch: decodeFinalizationProof(bytes).epoch };
      }
    }
    throw new Error("it is incomplete");
  } catch (error) {
    throw new SnapshotError(`The snapshot cannot be read after block ${height}: ${(error as Error).message}`);
  }
}

function readHeader(line: string): SnapshotHeader | undefined {
  try {
    const { format, ...header } = JSON.parse(line);
    const numbers = [header.networkIdentifier, header.height, header.finalizedHeight];
    const areNumbers = numbers.every((number) => Number.isSafeInteger(number) && number >= 0) && numbers[0] <= 0xff;
    return format === FORMAT && areNumbers && /^[0-9A-F]{64}$/.test(header.generationHashSeed) ? header : undefined;
  } catch {
    return undefined;
  }
}
