import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, createDeflateRaw, inflateRaw } from "node:zlib";
import { SnapshotError } from "./errors.js";
import type { Frame, FrameMeta } from "./frame.js";

const inflate = promisify(inflateRaw);

/** The bytes of a block in a snapshot. */
export interface StoredBlock {
  readonly bytes: Buffer;
  /** Empty if it can be computed, like the next. */
  readonly statement: Buffer;
  /** 32 bytes each, concatenated. */
  readonly subCacheMerkleRoots: Buffer;
}

/** Hex digits of a block's checksum: it only locates a change that the digest of the whole chunk has shown. */
const SUM_DIGITS = 16;
const LEVEL = 6;
const NUMBER_BYTES = 4;

/**
 * The description of consecutive blocks. They are compressed together, and the compressor is flushed after each: so
 * each has bytes of its own in the file, and a changed byte belongs to one block.
 */
export interface ChunkMeta extends FrameMeta {
  readonly kind: "blocks";
  readonly from: number;
  readonly to: number;
  /** Total length after decompression. */
  readonly rawBytes: number;
  /** Compressed length of each block. */
  readonly lengths: readonly number[];
  /** Checksum of the compressed bytes of each block. */
  readonly sums: readonly string[];
}

/** Whether a frame has blocks. */
export function isChunk(frame: Frame): frame is Frame & { readonly meta: ChunkMeta } {
  return frame.meta.kind === "blocks";
}

/** Compresses consecutive blocks, the first of which has height `from`. */
export async function encodeChunk(
  from: number,
  blocks: readonly StoredBlock[],
): Promise<{ readonly meta: Omit<ChunkMeta, "bytes">; readonly body: Buffer }> {
  const records = blocks.map(recordOf);
  const segments = await compressEach(records);
  const meta = {
    kind: "blocks",
    from,
    to: from + blocks.length - 1,
    rawBytes: records.reduce((sum, { length }) => sum + length, 0),
    lengths: segments.map(({ length }) => length),
    sums: segments.map(sumOf),
  } as const;
  return { meta, body: Buffer.concat(segments) };
}

/** The blocks of a chunk. @throws SnapshotError naming the first block whose bytes were changed */
export async function decodeChunk({
  meta,
  body,
  isIntact,
}: Frame & { readonly meta: ChunkMeta }): Promise<StoredBlock[]> {
  if (!isIntact) throw new SnapshotError(describeDamage(meta, body));
  const raw = await inflate(body, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: Math.max(1, meta.rawBytes) });
  const blocks: StoredBlock[] = [];
  for (let at = 0; at < raw.length; ) {
    const part = () => {
      const start = at + NUMBER_BYTES;
      at = start + raw.readUInt32LE(at);
      return raw.subarray(start, at);
    };
    blocks.push({ bytes: part(), statement: part(), subCacheMerkleRoots: part() });
  }
  if (blocks.length === meta.to - meta.from + 1) return blocks;
  throw new SnapshotError(`The snapshot has ${blocks.length} blocks from ${meta.from} to ${meta.to}`);
}

/** Names the first block of a damaged chunk whose bytes were changed. */
export function describeDamage({ from, to, lengths, sums }: ChunkMeta, body: Buffer): string {
  let start = 0;
  for (const [index, length] of lengths.entries()) {
    if (sumOf(body.subarray(start, start + length)) !== sums[index]) {
      return `Block ${from + index} was changed in the snapshot: its bytes do not have their checksum`;
    }
    start += length;
  }
  return `A digest of the blocks ${from} to ${to} was changed in the snapshot`;
}

function sumOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, SUM_DIGITS);
}

/** Each part after its length. */
function recordOf({ bytes, statement, subCacheMerkleRoots }: StoredBlock): Buffer {
  return Buffer.concat(
    [bytes, statement, subCacheMerkleRoots].flatMap((part) => {
      const length = Buffer.alloc(NUMBER_BYTES);
      length.writeUInt32LE(part.length);
      return [length, part];
    }),
  );
}

async function compressEach(records: readonly Buffer[]): Promise<Buffer[]> {
  const compressor = createDeflateRaw({ level: LEVEL });
  let parts: Buffer[] = [];
  const failed = new Promise<never>((_, reject) => compressor.once("error", reject));
  failed.catch(() => undefined);
  compressor.on("data", (part: Buffer) => parts.push(part));
  const segments: Buffer[] = [];
  for (const record of records) {
    compressor.write(record);
    const flushed = new Promise<void>((resolve) => compressor.flush(constants.Z_SYNC_FLUSH, resolve));
    await Promise.race([flushed, failed]);
    segments.push(Buffer.concat(parts));
    parts = [];
  }
  compressor.destroy();
  return segments;
}
