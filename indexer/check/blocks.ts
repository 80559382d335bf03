import { sql } from "kysely";
import { blockScore, decodeBlock, NEMESIS_SCORE } from "../../catapult/entity/block.js";
import { splitHashes } from "../../catapult/entity/hashes.js";
import type { Block, NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import type { Db } from "../../database/database.js";
import { findBlockRow, readRawBlocks } from "../../database/queries/blocks.js";
import { findMissingRule } from "../../database/queries/missing-rules.js";
import type { RawBlockTable } from "../../database/tables/chain.js";
import type { Columns } from "../chain/state/tables.js";
import {
  CHAIN_TABLES,
  type ChainTable,
  computeFirstValue,
  emptyRows,
  POSITION_COLUMNS,
} from "../chain/step/chain-tables.js";
import { numberRows } from "../chain/step/copy-tables.js";
import { KeyGatherer } from "../chain/step/key-gatherer.js";
import { addBlock } from "../chain/step/rows.js";
import { compareRows, heightOfRow } from "./compare-rows.js";
import type { Findings, HeightRange } from "./findings.js";
import { checkKeys } from "./keys.js";

export interface BlockCheckOptions extends HeightRange {
  /** A snapshot of the database. */
  readonly db: Db;
  readonly network: NetworkIdentity;
  readonly findings: Findings;
  readonly checkSignatures: boolean;
}

/** The columns that identify a row. */
const KEYS: Readonly<Record<ChainTable, readonly string[]>> = {
  blocks: ["height"],
  transactions: ["id"],
  transaction_addresses: ["account", "id"],
  transaction_mosaics: ["mosaic", "id"],
  transaction_statements: ["id"],
  receipts: ["statement_id", "type", "sender", "recipient", "target", "artifact", "amount"],
  unknown_entities: ["id", "place"],
  balance_changes: ["mosaic", "account", "height"],
  address_resolution_statements: ["id"],
  mosaic_resolution_statements: ["id"],
  namespace_registrations: ["id"],
};

/**
 * Verifies the stored bytes of blocks against their headers and parents, and every row derived from them against a
 * new rendering.
 * @returns the valid blocks
 */
export async function checkBlocks(options: BlockCheckOptions): Promise<readonly VerifiedBlock[]> {
  const { db, from, to, findings } = options;
  const reader = new BlockReader(options);
  await reader.read();
  numberRows(reader.rows, await checkKeys(options, reader.keys.keys, reader.rejected));
  for (const table of CHAIN_TABLES) {
    const column = POSITION_COLUMNS[table];
    const [low, high] = [from, to + 1].map((height) => computeFirstValue(table, height));
    const { rows: stored } = await sql<Columns>`
      select * from ${sql.table(table)}
      where ${sql.ref(column)} >= ${low} and ${sql.ref(column)} < ${high}`.execute(db);
    const readHeight = (row: Columns) => (column === "height" ? (row.height as number) : heightOfRow(row, column));
    const comparable = stored.filter((row) => !reader.rejected.has(readHeight(row)));
    const expected: readonly Columns[] = reader.rows[table];
    compareRows(findings, { table, key: KEYS[table], expected, stored: comparable, origin: "the chain" });
  }
  findings.countChecked("blocks", reader.blocks.length);
  return reader.blocks;
}

/** Fields of a header that are compared with its receipts. */
const OF_RECEIPTS: ReadonlySet<string> = new Set(["receiptsHash", "totalFee"]);

type Parent = Pick<Block, "height" | "hash" | "timestamp">;

/** Reads the stored bytes of some blocks, and renders the valid ones. */
class BlockReader {
  readonly rows = emptyRows();
  readonly keys = new KeyGatherer();
  readonly blocks: VerifiedBlock[] = [];
  /** Heights whose bytes are missing or invalid. */
  readonly rejected = new Set<number>();
  readonly #options: BlockCheckOptions;
  /** Undefined when the previous block is unknown. */
  #parent: Parent | undefined;
  #score = 0n;
  /** From here on, blocks may have other receipts than their headers: votes prove them. */
  #ruleMissingSince = Number.POSITIVE_INFINITY;

  constructor(options: BlockCheckOptions) {
    this.#options = options;
  }

  async read(): Promise<void> {
    const { db, from, to } = this.#options;
    const raw = new Map((await readRawBlocks(db, from, to)).map((row) => [row.height, row]));
    this.#ruleMissingSince = (await findMissingRule(db))?.height ?? this.#ruleMissingSince;
    if (from > 1) await this.#startBehind(from - 1);
    for (let height = from; height <= to; height++) {
      const row = raw.get(height);
      const block = row ? await this.#verify(row) : this.#miss(height);
      if (block) await this.#add(block);
      else await this.#skip(height);
    }
  }

  /** The block below the first one is trusted: it is checked in its own turn. */
  async #startBehind(height: number): Promise<void> {
    await this.#skip(height);
    const [raw] = await readRawBlocks(this.#options.db, height, height);
    this.#parent = (raw && this.#decode(raw.block)) ?? this.#parent;
  }

  async #verify(row: RawBlockTable, isProven = false): Promise<VerifiedBlock | undefined> {
    const { height, block: bytes, statement, sub_cache_merkle_roots: roots } = row;
    const { network, checkSignatures, findings } = this.#options;
    try {
      const block = verifyBlock({
        bytes,
        statementBytes: statement,
        isProven,
        subCacheMerkleRoots: splitHashes(roots),
        network,
        checkSignatures,
        ...(this.#parent && { previous: this.#parent }),
      });
      if (isProven) findings.otherReceipts += 1;
      if (block.height === height) return block;
      this.#reject(height, "height", `has the bytes of block ${block.height}`);
    } catch (error) {
      if (!(error instanceof BlockRejectedError)) throw error;
      const mayDiffer = !isProven && height >= this.#ruleMissingSince && OF_RECEIPTS.has(error.field);
      if (mayDiffer) return this.#verify(row, true);
      this.#reject(height, await this.#findColumn(error, height, bytes), error.message);
    }
    return undefined;
  }

  #miss(height: number): undefined {
    this.#reject(height, undefined, "is missing");
  }

  #reject(height: number, column: string | undefined, problem: string): void {
    this.rejected.add(height);
    this.#options.findings.add({ table: "raw_blocks", key: `height=${height}`, column, problem });
  }

  async #add(block: VerifiedBlock): Promise<void> {
    this.#score = await this.#computeScore(block);
    addBlock(this.rows, block, this.#score, this.keys);
    this.blocks.push(block);
    this.#parent = block;
  }

  /** After an unknown block, the stored score has to be trusted. */
  async #computeScore(block: VerifiedBlock): Promise<bigint> {
    if (block.height === 1) return NEMESIS_SCORE;
    if (this.#parent) return this.#score + blockScore(this.#parent, block);
    return BigInt((await findBlockRow(this.#options.db, block.height))?.score ?? 0);
  }

  /** Continues after a block of which only its row is known. */
  async #skip(height: number): Promise<void> {
    const row = await findBlockRow(this.#options.db, height);
    this.#parent = row && { height, hash: row.hash, timestamp: row.timestamp };
    this.#score = BigInt(row?.score ?? 0);
  }

  #decode(bytes: Buffer): Block | undefined {
    try {
      return decodeBlock(bytes, this.#options.network);
    } catch {
      return undefined;
    }
  }

  /** A header whose hash is the stored one is right, so whatever does not match it is wrong. */
  async #findColumn({ field }: BlockRejectedError, height: number, bytes: Buffer): Promise<string> {
    const isOfReceipts =
      /^(receiptsHash|totalFee|statement|transactionStatements|addressResolutions|mosaicResolutions)/;
    const column = field === "stateHash" ? "sub_cache_merkle_roots" : isOfReceipts.test(field) ? "statement" : "block";
    if (column === "block") return column;
    const row = await findBlockRow(this.#options.db, height);
    return row && this.#decode(bytes)?.hash.equals(row.hash) ? column : "block";
  }
}
