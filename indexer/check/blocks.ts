import { sql } from "kysely";
import { blockScore, decodeBlock, NEMESIS_SCORE } from "../../catapult/entity/block.js";
import { splitHashes } from "../../catapult/entity/hashes.js";
import type { Block, NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { encodeEntityId, entityNumber } from "../../catapult/json/entity-id.js";
import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import type { Db } from "../../database/database.js";
import { findBlockRow, readRawBlocks } from "../../database/queries/blocks.js";
import { findMissingRule } from "../../database/queries/missing-rules.js";
import type { RawBlockTable } from "../../database/tables/chain.js";
import { numberRows } from "../chain/step/copy-tables.js";
import { KeyGatherer } from "../chain/step/key-gatherer.js";
import { registrationRows } from "../chain/step/registrations.js";
import { addBlock, emptyRows, type Rows } from "../chain/step/rows.js";
import { type Columns, compareRows, heightOfRow } from "./compare-rows.js";
import type { Findings, HeightRange } from "./findings.js";
import { checkKeys } from "./keys.js";

export interface BlockCheckOptions extends HeightRange {
  /** A snapshot of the database. */
  readonly db: Db;
  readonly network: NetworkIdentity;
  readonly findings: Findings;
  readonly checkSignatures: boolean;
}

interface ChainTable {
  readonly table: keyof Rows | "namespace_registrations";
  /** Columns that identify a row. */
  readonly key: readonly string[];
  /** The column with a row's position in the chain: an id of the chain, or a height. */
  readonly column: string;
}

/** Tables that are derived from blocks alone. */
export const CHAIN_TABLES: readonly ChainTable[] = [
  { table: "blocks", key: ["height"], column: "height" },
  { table: "transactions", key: ["id"], column: "id" },
  { table: "transaction_addresses", key: ["account", "id"], column: "id" },
  { table: "transaction_mosaics", key: ["mosaic", "id"], column: "id" },
  { table: "transaction_statements", key: ["id"], column: "id" },
  {
    table: "receipts",
    key: ["statement_id", "type", "sender", "recipient", "target", "artifact", "amount"],
    column: "statement_id",
  },
  { table: "address_resolution_statements", key: ["id"], column: "id" },
  { table: "mosaic_resolution_statements", key: ["id"], column: "id" },
  { table: "namespace_registrations", key: ["id"], column: "id" },
  { table: "unknown_entities", key: ["id", "place"], column: "id" },
  { table: "balance_changes", key: ["mosaic", "account", "height"], column: "height" },
];

/** The lowest value of the column in rows of a block. */
export function computeFirstValue(
  { table, column }: Pick<ChainTable, "column"> & { readonly table: string },
  height: number,
) {
  if (column === "height") return height;
  return table === "namespace_registrations" ? encodeEntityId(height) : entityNumber(height);
}

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
  const rows: Record<string, readonly Columns[]> = { ...reader.rows };
  rows.namespace_registrations = reader.blocks.flatMap(registrationRows) as Columns[];
  for (const one of CHAIN_TABLES) {
    const { table, key, column } = one;
    const [low, high] = [from, to + 1].map((height) => computeFirstValue(one, height));
    const { rows: stored } = await sql<Columns>`
      select * from ${sql.table(table)}
      where ${sql.ref(column)} >= ${low} and ${sql.ref(column)} < ${high}`.execute(db);
    const readHeight = (row: Columns) => (column === "height" ? (row.height as number) : heightOfRow(row, column));
    const comparable = stored.filter((row) => !reader.rejected.has(readHeight(row)));
    compareRows(findings, { table, key, expected: rows[table] ?? [], stored: comparable, origin: "the chain" });
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
