import { isKnownBlock } from "../entity/block-entity.js";
import { BLOCK, VERIFIABLE } from "../entity/entity-layout.js";
import { hex } from "../entity/hex.js";
import type { Block } from "../entity/model.js";
import {
  BLOCK_HEADER,
  type BlockBody,
  type BlockHeaderBody,
  type BlockMessageBody,
  type CommonHeader,
  type FinalizedBlockBody,
  IMPORTANCE_BLOCK_HEADER,
} from "../structs/block.js";
import { chosen, object, rendered, type Write } from "../values/body-writer.js";
import { type JsonOf, makeMembers } from "../values/struct.js";
import { decimalText } from "./format.js";

const COMMON = makeMembers(BLOCK_HEADER);
const writeNormalHeader = object<Buffer, CommonHeader>(COMMON);
const writeImportanceHeader = object<Buffer, JsonOf<typeof IMPORTANCE_BLOCK_HEADER>>(
  makeMembers(IMPORTANCE_BLOCK_HEADER),
);
const writeUnknownHeader = object<Buffer, CommonHeader & { readonly bin: string }>({
  ...COMMON,
  bin: (writer, header) => writer.hex(header, BLOCK.footer),
});

/**
 * How a header is written. Nemesis blocks are importance blocks too; for an unknown type or version, the bytes after the
 * common fields are `bin`.
 */
function headerWriter(header: Buffer): Write<Buffer, BlockHeaderBody> {
  const type = header.readUInt16LE(VERIFIABLE.type);
  if (!isKnownBlock({ type, version: header[VERIFIABLE.version]! })) return as(writeUnknownHeader);
  return as(header.length === BLOCK.importanceHeaderSize ? writeImportanceHeader : writeNormalHeader);
}

/** Which footer belongs to which type is known to the caller. */
const as = (write: Write<Buffer, CommonHeader>) => write as Write<Buffer, BlockHeaderBody>;

/** What a block's body shows. */
export interface BlockSource {
  readonly height: number;
  readonly hash: Buffer;
  readonly generationHash: Buffer;
  /** The header with its footer. */
  readonly header: Buffer;
  /** The roots of the trees under the state hash, 32 bytes each. */
  readonly roots: Buffer;
  /** Atomic units. */
  readonly totalFee: number | bigint;
  readonly transactionsCount: number;
  /** Including embedded ones. */
  readonly totalTransactionsCount: number;
  readonly statementsCount: number;
}

const HASH_SIZE = 32;

/**
 * Writes the REST body of a block (`BlockInfoDTO`). Source: `mappers/BlockMapper` of catapult's `extensions/mongo`.
 */
export const writeBlock = object<BlockSource, BlockBody>({
  id: (writer, { height }) => writer.entityId(height, 0, 0),
  meta: object<BlockSource, BlockBody["meta"]>({
    hash: (writer, { hash }) => writer.hex(hash),
    generationHash: (writer, { generationHash }) => writer.hex(generationHash),
    totalFee: (writer, { totalFee }) => writer.decimal(totalFee),
    totalTransactionsCount: (writer, { totalTransactionsCount }) => writer.number(totalTransactionsCount),
    stateHashSubCacheMerkleRoots: (writer, { roots }) => writer.hexList(roots, HASH_SIZE),
    transactionsCount: (writer, { transactionsCount }) => writer.number(transactionsCount),
    statementsCount: (writer, { statementsCount }) => writer.number(statementsCount),
  }),
  block: chosen(({ header }) => header, headerWriter),
});

const writeBlockMessage = object<Block, BlockMessageBody>({
  block: chosen(({ bytes, headerSize }) => bytes.subarray(0, headerSize), headerWriter),
  meta: object<Block, BlockMessageBody["meta"]>({
    hash: (writer, { hash }) => writer.hex(hash),
    generationHash: (writer, { generationHash }) => writer.hex(generationHash),
  }),
});

/**
 * The data of a `block` message: `{block, meta: {hash, generationHash}}`, the header's fields named as in the REST
 * body.
 */
export function renderBlockMessage(block: Block): string {
  return rendered(writeBlockMessage, block);
}

/** The highest block of a finalization round. */
export interface FinalizedBlock {
  readonly epoch: number;
  readonly point: number;
  readonly height: number;
  readonly hash: Buffer;
}

/** The fields of a finalized block: the data of a `finalizedBlock` message, and `latestFinalizedBlock` of `/chain/info`. */
export function renderFinalizedBlock(block: FinalizedBlock): string {
  const body: FinalizedBlockBody = {
    finalizationEpoch: block.epoch,
    finalizationPoint: block.point,
    height: decimalText(block.height),
    hash: hex(block.hash),
  };
  return JSON.stringify(body);
}
