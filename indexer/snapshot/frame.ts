import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { SnapshotError } from "./errors.js";

/** The first bytes of every snapshot. */
const MAGIC = Buffer.from("symbol-gateway snapshot 1\n");
const LENGTH_BYTES = 4;
const DIGEST_BYTES = 32;
/** Maximum length of a description, in bytes: more is damage. */
const MAX_META = 1024 * 1024;
/** Maximum length of a body, in bytes: a chunk has at least one block, however large. */
const MAX_BODY = 512 * 1024 * 1024;

/** What describes a frame; further members depend on the kind. */
export interface FrameMeta {
  readonly kind: string;
  /** Length of the body. */
  readonly bytes: number;
}

/** A part of a snapshot: a description and bytes, each with its SHA-256. */
export interface Frame {
  readonly meta: FrameMeta;
  readonly body: Buffer;
  /** Whether the body has its digest. */
  readonly isIntact: boolean;
}

const digestOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest();

/** Writes a snapshot: length of the description (4 bytes, little-endian), description, its digest, body, its digest. */
export class FrameWriter {
  readonly #file: FileHandle;
  #written = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @throws the system's error when the file exists, or cannot be created */
  static async create(path: string): Promise<FrameWriter> {
    const writer = new FrameWriter(await open(path, "wx", 0o600));
    await writer.#append(MAGIC);
    return writer;
  }

  /** Bytes so far. */
  get written(): number {
    return this.#written;
  }

  async write(meta: { readonly kind: string; readonly [name: string]: unknown }, body: Buffer): Promise<void> {
    const text = Buffer.from(JSON.stringify({ ...meta, bytes: body.length }));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(text.length);
    await this.#append(Buffer.concat([length, text, digestOf(text), body, digestOf(body)]));
  }

  /** Ends the file: its content is on the disk then. */
  async end(): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }

  async #append(bytes: Buffer): Promise<void> {
    await this.#file.appendFile(bytes);
    this.#written += bytes.length;
  }
}

/** Reads frames of a snapshot. */
export class FrameReader {
  readonly #file: FileHandle;
  /** Length of the file, in bytes. */
  readonly size: number;

  private constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** @throws SnapshotError when the file is no snapshot; the system's error when it cannot be read */
  static async open(path: string): Promise<FrameReader> {
    const file = await open(path, "r");
    const reader = new FrameReader(file, (await file.stat()).size);
    const start = await reader.#read(0, MAGIC.length);
    if (start?.equals(MAGIC)) return reader;
    await file.close();
    throw new SnapshotError(`${path} is not a snapshot of this version of the format`);
  }

  /** Position of the first frame. */
  readonly start = MAGIC.length;

  /**
   * The frame at a position, and the position of the next one.
   * @param place where it is in the chain, for messages: "after block 12"
   * @throws SnapshotError when the file ends there, or the description is damaged
   */
  async read(position: number, place: string): Promise<{ readonly frame: Frame; readonly next: number }> {
    const damaged = () => new SnapshotError(`The snapshot is damaged ${place} (byte ${position} of the file)`);
    const length = (await this.#read(position, LENGTH_BYTES))?.readUInt32LE();
    if (length === undefined) throw new SnapshotError(`The snapshot ends ${place}: it is incomplete`);
    if (length > MAX_META) throw damaged();
    const described = await this.#read(position + LENGTH_BYTES, length + DIGEST_BYTES);
    if (!described) throw damaged();
    const text = described.subarray(0, length);
    if (!digestOf(text).equals(described.subarray(length))) throw damaged();
    const meta = JSON.parse(text.toString("utf8")) as FrameMeta;
    if (!(meta.bytes <= MAX_BODY)) throw damaged();
    const bodyAt = position + LENGTH_BYTES + length + DIGEST_BYTES;
    const content = await this.#read(bodyAt, meta.bytes + DIGEST_BYTES);
    if (!content) throw new SnapshotError(`The snapshot ends ${place}: it is incomplete`);
    const body = content.subarray(0, meta.bytes);
    const isIntact = digestOf(body).equals(content.subarray(meta.bytes));
    return { frame: { meta, body, isIntact }, next: bodyAt + meta.bytes + DIGEST_BYTES };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** Undefined if the file ends before. */
  async #read(position: number, length: number): Promise<Buffer | undefined> {
    if (position + length > this.size) return undefined;
    const bytes = Buffer.alloc(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await this.#file.read(bytes, done, length - done, position + done);
      if (bytesRead === 0) return undefined;
      done += bytesRead;
    }
    return bytes;
  }
}
