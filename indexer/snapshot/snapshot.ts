import { blockHash } from "../../catapult/entity/hashes.js";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import type { Finalization } from "../../database/queries/head.js";
import { decodeChunk, describeDamage, isChunk, type StoredBlock } from "./block-chunk.js";
import { SnapshotError } from "./errors.js";
import { type Frame, type FrameMeta, FrameReader } from "./frame.js";
import type { SnapshotHeader, SnapshotProgress } from "./header.js";

/** Where the frames of some blocks, or of a proof, begin. */
interface ChunkPlace {
  readonly from: number;
  readonly position: number;
}

/** A snapshot in a file. */
export class Snapshot {
  readonly header: SnapshotHeader;
  readonly #reader: FrameReader;
  readonly #first: number;
  readonly #chunks: ChunkPlace[] = [];
  /** Position of each proof, by epoch. */
  readonly #proofs = new Map<number, number>();
  #rowParts = 0;

  private constructor(reader: FrameReader, header: SnapshotHeader, first: number) {
    this.#reader = reader;
    this.header = header;
    this.#first = first;
  }

  /** @throws SnapshotError when the file is no snapshot; the system's error when it cannot be read */
  static async open(path: string): Promise<Snapshot> {
    const reader = await FrameReader.open(path);
    try {
      const { frame, next } = await reader.read(reader.start, "in its header");
      if (frame.meta.kind !== "header") throw new SnapshotError("The snapshot does not begin with its header");
      return new Snapshot(reader, frame.meta as SnapshotHeader, next);
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  /**
   * Reads the file to its end and verifies every digest, so that nothing of a damaged file is restored.
   * @throws SnapshotError naming the first changed or missing block
   */
  async verify(onProgress: (progress: SnapshotProgress) => void, signal?: AbortSignal): Promise<void> {
    const { size } = this.#reader;
    let height = 0;
    for (let position = this.#first; ; ) {
      signal?.throwIfAborted();
      const place = height === 0 ? "before block 1" : `after block ${height}`;
      const { frame, next } = await this.#reader.read(position, place);
      if (isChunk(frame)) {
        const { from, to } = frame.meta;
        if (!frame.isIntact) throw new SnapshotError(describeDamage(frame.meta, frame.body));
        if (from !== height + 1) throw new SnapshotError(`The snapshot lacks block ${height + 1}`);
        this.#chunks.push({ from, position });
        height = to;
      }
      if (!frame.isIntact) throw new SnapshotError(`The snapshot is damaged ${place}: ${frame.meta.kind}`);
      if (frame.meta.kind === "proof") this.#proofs.set((frame.meta as ProofMeta).epoch, position);
      if (frame.meta.kind === "rows") this.#rowParts += 1;
      onProgress({ stage: "verifying", done: next, total: size, unit: "bytes" });
      position = next;
      if (frame.meta.kind !== "end") continue;
      if (next !== size) throw new SnapshotError("There are bytes after the end of the snapshot");
      if (this.header.content === "blocks" && height !== this.header.height) {
        throw new SnapshotError(`The snapshot lacks block ${height + 1}`);
      }
      return;
    }
  }

  /** Number of parts with rows of tables; after {@link verify}. */
  get rowParts(): number {
    return this.#rowParts;
  }

  /** The blocks `from` to `to` (inclusive), some at a time; after {@link verify}. @throws SnapshotError */
  async *blocks(from: number, to: number): AsyncGenerator<readonly StoredBlock[]> {
    let place = this.#chunks.findLastIndex((chunk) => chunk.from <= from);
    for (let height = from; height <= to; place += 1) {
      const chunk = this.#chunks[place];
      if (!chunk) throw new SnapshotError(`The snapshot has no block ${height}`);
      const { frame } = await this.#reader.read(chunk.position, `at block ${chunk.from}`);
      if (!isChunk(frame)) throw new SnapshotError(`The snapshot was changed at block ${chunk.from} meanwhile`);
      const some = (await decodeChunk(frame)).slice(height - chunk.from, to - chunk.from + 1);
      height += some.length;
      yield some;
    }
  }

  /** Hash of a block; after {@link verify}. */
  async hashAt(height: number): Promise<Buffer> {
    for await (const [block] of this.blocks(height, height)) if (block) return blockHash(block.bytes);
    throw new SnapshotError(`The snapshot has no block ${height}`);
  }

  /** The finalization proof of an epoch, unverified; undefined if there is none. */
  async finalizationProofAtEpoch(epoch: number): Promise<Buffer | undefined> {
    const position = this.#proofs.get(epoch);
    if (position === undefined) return undefined;
    const { frame } = await this.#reader.read(position, `at the proof of epoch ${epoch}`);
    if (!frame.isIntact)
      throw new SnapshotError(`The finalization proof of epoch ${epoch} was changed in the snapshot`);
    return frame.body;
  }

  /** What the newest proof claims to be final; the first block without a proof. */
  async claimedFinalization(): Promise<Finalization> {
    const epoch = Math.max(0, ...this.#proofs.keys());
    const bytes = await this.finalizationProofAtEpoch(epoch);
    if (!bytes) return { epoch: 1, point: 1, height: 1, hash: await this.hashAt(1) };
    const { point, height, hash } = decodeFinalizationProof(bytes);
    return { epoch, point, height, hash };
  }

  /** All frames after the header; after {@link verify}. */
  async *frames(): AsyncGenerator<Frame> {
    for (let position = this.#first; position < this.#reader.size; ) {
      const { frame, next } = await this.#reader.read(position, "meanwhile");
      if (!frame.isIntact) throw new SnapshotError(`The snapshot was changed meanwhile, at byte ${position}`);
      yield frame;
      position = next;
    }
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}

interface ProofMeta extends FrameMeta {
  readonly epoch: number;
}
