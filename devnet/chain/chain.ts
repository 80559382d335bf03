import type { Logger } from "pino";
import { blockScore } from "../../catapult/entity/block.js";
import { readBlockPosition } from "./block-layout.js";
import type { FinalizedRound } from "./finalization-proof.js";
import { readFinalizedRound } from "./finalization-proof.js";
import type { RecordPosition } from "./record-file.js";
import { RecordFile } from "./record-file.js";

const RecordKind = { block: 1, branch: 2, proof: 3 } as const;

/** A block, and what it was found to be when it was executed. */
export interface StoredBlock {
  readonly block: Buffer;
  readonly hash: Buffer;
  readonly generationHash: Buffer;
  readonly statement: Buffer;
}

/** The data of a block that is kept in memory. */
export interface ChainEntry {
  readonly height: number;
  readonly type: number;
  readonly hash: Buffer;
  readonly generationHash: Buffer;
  /** Milliseconds since the network's epoch. */
  readonly timestamp: number;
  readonly difficulty: bigint;
  /** Score of the chain up to this block. */
  readonly score: bigint;
  /** Size of the block in bytes. */
  readonly size: number;
}

interface Entry extends ChainEntry {
  readonly position: RecordPosition;
}

/** A chain file that cannot be used. */
export class ChainFileError extends Error {
  override readonly name = "ChainFileError";
}

/**
 * The blocks and finalization proofs of a devnet: in an append-only file, with an index in memory. A change of branch
 * is written before its blocks, and takes effect only when all of them are in the file.
 */
export class Chain {
  readonly #file: RecordFile;
  readonly #entries: Entry[] = [];
  readonly #proofs = new Map<number, RecordPosition>();
  #finalized: FinalizedRound | undefined;

  /**
   * Opens the chain in a file, or creates it with a nemesis block and its proof. An incomplete write at the end of
   * the file is truncated. Throws {@link ChainFileError} if the file begins with another nemesis block.
   */
  static open(path: string, nemesis: StoredBlock, nemesisProof: Buffer, log: Logger): Chain {
    const file = new RecordFile(path);
    try {
      const chain = new Chain(file);
      chain.#load(log);
      const first = chain.#entries[0];
      if (!first) {
        chain.append(nemesis);
        chain.addProof(nemesisProof);
      } else if (!first.hash.equals(nemesis.hash)) {
        throw new ChainFileError(
          `${path} contains a chain with another nemesis block, of another seed or of other rules`,
        );
      } else if (!chain.#finalized) {
        chain.addProof(nemesisProof);
      }
      return chain;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  private constructor(file: RecordFile) {
    this.#file = file;
  }

  get height(): number {
    return this.#entries.length;
  }

  /** The last round of finalization. */
  get finalized(): FinalizedRound {
    if (!this.#finalized) throw new Error("the chain has no finalization proof");
    return this.#finalized;
  }

  /** The block at a height of the chain, from 1; throws RangeError for others. */
  entry(height: number): ChainEntry {
    return this.#at(height);
  }

  /** The last block. */
  get head(): ChainEntry {
    return this.#at(this.height);
  }

  /** The bytes of the block at a height. */
  block(height: number): Buffer {
    return this.#file.read(this.#at(height).position, BLOCK_OFFSET);
  }

  /** The last proof of an epoch. */
  proof(epoch: number): Buffer | undefined {
    const position = this.#proofs.get(epoch);
    return position && this.#file.read(position, 1);
  }

  /** Adds the next block. */
  append(stored: StoredBlock): void {
    const body = encodeBlock(stored);
    this.#checkLink(body, this.height);
    for (const position of this.#file.append([body])) this.#add(body, position);
  }

  /** Replaces all blocks above a height, which must not be below the finalized one, by others. */
  replaceAbove(height: number, blocks: readonly StoredBlock[]): void {
    if (height < this.finalized.height)
      throw new RangeError(`block ${this.finalized.height} is finalized: no branch can begin at ${height}`);
    if (blocks.length === 0 || height > this.height) throw new RangeError(`no new branch at height ${height}`);
    const bodies = blocks.map(encodeBlock);
    this.#checkLink(bodies[0] as Buffer, height);
    const [, ...positions] = this.#file.append([encodeBranch(height, blocks.length), ...bodies]);
    this.#entries.length = height;
    for (const [index, position] of positions.entries()) this.#add(bodies[index] as Buffer, position);
  }

  /** Adds the proof of a round of finalization. */
  addProof(proof: Buffer): void {
    const body = Buffer.concat([Buffer.of(RecordKind.proof), proof]);
    for (const position of this.#file.append([body])) this.#addProof(proof, position);
  }

  /** Closes the file. */
  close(): void {
    this.#file.close();
  }

  #load(log: Logger): void {
    let usable = 0;
    let branch: { from: number; missing: number; blocks: { body: Buffer; position: RecordPosition }[] } | undefined;
    for (const { body, ...position } of this.#file.records()) {
      const end = position.offset + position.size;
      if (branch) {
        if (body[0] !== RecordKind.block) break;
        branch.blocks.push({ body: Buffer.from(body), position });
        branch.missing -= 1;
        if (branch.missing > 0) continue;
        this.#entries.length = branch.from;
        for (const block of branch.blocks) this.#add(block.body, block.position);
        branch = undefined;
      } else if (body[0] === RecordKind.block) {
        this.#add(body, position);
      } else if (body[0] === RecordKind.branch) {
        branch = { ...decodeBranch(body), blocks: [] };
        continue;
      } else if (body[0] === RecordKind.proof) {
        this.#addProof(Buffer.from(body.subarray(1)), position);
      } else {
        break;
      }
      usable = end;
    }
    const excess = this.#file.size - usable;
    if (excess === 0) return;
    log.warn(
      { bytes: excess, height: this.height },
      "devnet: truncated an incomplete write at the end of the chain file",
    );
    this.#file.truncate(usable);
  }

  #at(height: number): Entry {
    const entry = this.#entries[height - 1];
    if (!entry) throw new RangeError(`there is no block ${height}: the chain has ${this.height}`);
    return entry;
  }

  #checkLink(body: Buffer, parentHeight: number): void {
    const header = readBlockPosition(blockOfBody(body));
    const parentHash = parentHeight === 0 ? Buffer.alloc(32) : this.#at(parentHeight).hash;
    if (header.height !== parentHeight + 1 || !header.previousBlockHash.equals(parentHash))
      throw new RangeError(`block ${header.height} does not follow block ${parentHeight}`);
  }

  #add(body: Buffer, position: RecordPosition): void {
    const block = blockOfBody(body);
    const header = readBlockPosition(block);
    const parent = this.#entries.at(-1);
    // outside Node's buffer pool, of which each retained slice would keep a whole piece in memory
    const hashes = Buffer.allocUnsafeSlow(HASHES_SIZE);
    body.copy(hashes, 0, 1, 1 + HASHES_SIZE);
    this.#entries.push({
      height: header.height,
      type: header.type,
      hash: hashes.subarray(0, 32),
      generationHash: hashes.subarray(32),
      timestamp: header.timestamp,
      difficulty: header.difficulty,
      // a node starts with a score of 1 for the nemesis block
      score: parent ? parent.score + blockScore(parent, header) : 1n,
      size: block.length,
      position,
    });
  }

  #addProof(proof: Buffer, position: RecordPosition): void {
    this.#finalized = readFinalizedRound(proof);
    this.#proofs.set(this.#finalized.epoch, position);
  }
}

const HASHES_SIZE = 64;
/** A kind and two hashes. */
const BLOCK_OFFSET = 1 + HASHES_SIZE;

/** kind u8 | hash | generation hash | block */
function encodeBlock({ block, hash, generationHash }: StoredBlock): Buffer {
  return Buffer.concat([Buffer.of(RecordKind.block), hash, generationHash, block]);
}

function blockOfBody(body: Buffer): Buffer {
  return body.subarray(BLOCK_OFFSET);
}

/** kind u8 | height of the last common block u64 | number of blocks that follow u32 */
function encodeBranch(from: number, count: number): Buffer {
  const body = Buffer.alloc(13);
  body.writeUInt8(RecordKind.branch, 0);
  body.writeBigUInt64LE(BigInt(from), 1);
  body.writeUInt32LE(count, 9);
  return body;
}

function decodeBranch(body: Buffer): { from: number; missing: number } {
  return { from: Number(body.readBigUInt64LE(1)), missing: body.readUInt32LE(9) };
}
