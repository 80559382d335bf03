import type { Insertable } from "kysely";
import { splitHashes } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { BlockRejectedError, verifyBlock } from "../../catapult/verify/verify.js";
import type { NamespaceRegistrationTable } from "../../database/tables/state.js";
import { verifyHit } from "../../ledger/header/generation-rules.js";
import { registrationRows } from "../state/registrations.js";
import { addCollectionEntries } from "../step/collection-entries.js";
import { type CopiedRows, RowsEncoder } from "../step/copy-tables.js";
import { ListGatherer } from "../step/counters.js";
import { type GatheredKey, KeyGatherer } from "../step/key-gatherer.js";
import { rowPortions, type ScoredBlock } from "../step/row-portions.js";
import { type FoundUnknown, unknownIn } from "../step/unknown-rows.js";
import { type ChainEnd, scoreAfter } from "./chain-end.js";
import { type PackedLists, packLists } from "./packed-lists.js";
import type { SourceBlock } from "./source.js";

/** Consecutive blocks, and the parent of the first. */
export interface Chunk {
  readonly parent: ChainEnd;
  readonly blocks: readonly SourceBlock[];
}

export interface DecodeOptions {
  readonly network: NetworkIdentity;
  /** Whether to verify all signatures; hashes always are. */
  readonly checkSignatures: boolean;
}

/** All rows of some blocks, without those of their bytes. */
export interface DecodedChunk {
  readonly end: ChainEnd;
  readonly blocks: number;
  /** Without embedded ones. */
  readonly transactions: number;
  readonly tables: readonly CopiedRows[];
  /** What local numbers in rows and lists refer to. */
  readonly keys: readonly GatheredKey[];
  readonly lists: PackedLists;
  readonly registrations: readonly Insertable<NamespaceRegistrationTable>[];
  readonly unknown: readonly FoundUnknown[];
  readonly spent: DecodingTimes;
}

/** Durations of the parts, in ms. */
export interface DecodingTimes {
  /** Decoding blocks, including their hashes. */
  readonly decode: number;
  /** Verifying them, and decoding their statements. */
  readonly verify: number;
  /** Rows and lists. */
  readonly render: number;
  /** Encoding for the database. */
  readonly encode: number;
}

/** A block that leaves a hundred megabytes of garbage behind. */
const LARGE_BLOCK_BYTES = 2 * 1024 * 1024;
/** Number of blocks that are decoded at a time: short-lived objects cost the garbage collector least. */
const PIECE_BLOCKS = 32;

/** Whether a chunk has a block of tens of thousands of transactions, as the first one of a public network has. */
export function isLarge({ blocks }: Pick<Chunk, "blocks">): boolean {
  return blocks.some(({ bytes }) => bytes.length >= LARGE_BLOCK_BYTES);
}

/**
 * Checks blocks and makes of them what is written.
 * @throws BlockRejectedError naming the block and the field that does not hold
 */
export function decodeChunk({ parent, blocks }: Chunk, options: DecodeOptions): DecodedChunk {
  const decoded = new GatheredBlocks(parent, options);
  for (let start = 0; start < blocks.length; start += PIECE_BLOCKS) {
    decoded.add(blocks.slice(start, start + PIECE_BLOCKS));
  }
  return decoded.chunk();
}

class GatheredBlocks {
  readonly #options: DecodeOptions;
  readonly #encoder = new RowsEncoder();
  readonly #keys = new KeyGatherer();
  readonly #lists = new ListGatherer();
  readonly #registrations: Insertable<NamespaceRegistrationTable>[] = [];
  readonly #spent = { decode: 0, verify: 0, render: 0, encode: 0 };
  #end: ChainEnd;
  #blocks = 0;
  #transactions = 0;
  readonly #unknown: FoundUnknown[] = [];

  constructor(parent: ChainEnd, options: DecodeOptions) {
    this.#end = parent;
    this.#options = options;
  }

  add(blocks: readonly SourceBlock[]): void {
    const startedAt = performance.now();
    const { verified, decodeMs } = verifyAll(this.#end, blocks, this.#options);
    const verifiedAt = performance.now();
    let encodeMs = 0;
    const scored = verified.map((block) => this.#note(block));
    for (const rows of rowPortions(scored, this.#keys)) {
      addCollectionEntries(rows, this.#lists.add);
      const encodingSince = performance.now();
      this.#encoder.add(rows);
      encodeMs += performance.now() - encodingSince;
    }
    this.#spent.decode += decodeMs;
    this.#spent.verify += verifiedAt - startedAt - decodeMs;
    this.#spent.render += performance.now() - verifiedAt - encodeMs;
    this.#spent.encode += encodeMs;
  }

  /** Notes what is written of a block besides its rows. */
  #note(block: VerifiedBlock): ScoredBlock {
    const { height, hash, timestamp } = block;
    this.#end = { height, hash, timestamp, score: scoreAfter(this.#end, block) };
    this.#registrations.push(...registrationRows(block));
    this.#blocks += 1;
    this.#transactions += block.transactions.length;
    this.#unknown.push(...unknownIn([block]));
    return { block, score: this.#end.score };
  }

  chunk(): DecodedChunk {
    const startedAt = performance.now();
    const lists = packLists(this.#lists.lists());
    this.#spent.render += performance.now() - startedAt;
    return {
      end: this.#end,
      blocks: this.#blocks,
      transactions: this.#transactions,
      tables: this.#encoder.tables(),
      keys: this.#keys.keys,
      lists,
      registrations: this.#registrations,
      unknown: this.#unknown,
      spent: this.#spent,
    };
  }
}

function verifyAll(
  parent: ChainEnd,
  blocks: readonly SourceBlock[],
  options: DecodeOptions,
): { readonly verified: VerifiedBlock[]; readonly decodeMs: number } {
  let previous: { readonly height: number; readonly hash: Buffer; readonly timestamp: number } = parent;
  let decodeMs = 0;
  const verified = blocks.map(({ bytes, statement, subCacheMerkleRoots, target, isProven, hasOtherReceipts }) => {
    const startedAt = performance.now();
    const block = verifyBlock({
      bytes,
      statementBytes: statement,
      hasOtherReceipts,
      subCacheMerkleRoots: splitHashes(subCacheMerkleRoots),
      network: options.network,
      ...(previous.height > 0 && { previous }),
      checkSignatures: options.checkSignatures,
      onInvalidSignature: isProven ? () => undefined : undefined,
      onDecoded: () => {
        decodeMs += performance.now() - startedAt;
      },
    });
    if (block.height !== previous.height + 1) {
      throw new BlockRejectedError(previous.height + 1, "height", `is ${block.height}`);
    }
    verifyHit(block, target);
    previous = block;
    return block;
  });
  return { verified, decodeMs };
}
