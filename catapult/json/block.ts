import type { BlockBody, BlockHeaderBody, BlockMessageBody, FinalizedBlockBody } from "../body/block.js";
import { isKnownBlock } from "../entity/block-entity.js";
import { BLOCK, VERIFIABLE } from "../entity/entity-layout.js";
import { hex } from "../entity/hex.js";
import type { Block } from "../entity/model.js";
import {
  chosen,
  hexOf,
  type Members,
  object,
  rendered,
  uint8Of,
  uint16Of,
  uint32Of,
  uint64Of,
  type Write,
} from "../values/body-writer.js";
import { decimalText } from "./format.js";

type UnknownHeader = Extract<BlockHeaderBody, { readonly bin: string }>;
type ImportanceHeader = Extract<BlockHeaderBody, { readonly totalVotingBalance: string }>;
type CommonHeader = Omit<UnknownHeader, "bin">;

const COMMON: Members<Buffer, CommonHeader> = {
  size: uint32Of(VERIFIABLE.size),
  signature: hexOf(VERIFIABLE.signature, VERIFIABLE.signerPublicKey),
  signerPublicKey: hexOf(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved),
  version: uint8Of(VERIFIABLE.version),
  network: uint8Of(VERIFIABLE.network),
  type: uint16Of(VERIFIABLE.type),
  height: uint64Of(BLOCK.height),
  timestamp: uint64Of(BLOCK.timestamp),
  difficulty: uint64Of(BLOCK.difficulty),
  proofGamma: hexOf(BLOCK.proofGamma, BLOCK.proofVerificationHash),
  proofVerificationHash: hexOf(BLOCK.proofVerificationHash, BLOCK.proofScalar),
  proofScalar: hexOf(BLOCK.proofScalar, BLOCK.previousBlockHash),
  previousBlockHash: hexOf(BLOCK.previousBlockHash, BLOCK.transactionsHash),
  transactionsHash: hexOf(BLOCK.transactionsHash, BLOCK.receiptsHash),
  receiptsHash: hexOf(BLOCK.receiptsHash, BLOCK.stateHash),
  stateHash: hexOf(BLOCK.stateHash, BLOCK.beneficiaryAddress),
  beneficiaryAddress: hexOf(BLOCK.beneficiaryAddress, BLOCK.feeMultiplier),
  feeMultiplier: uint32Of(BLOCK.feeMultiplier),
};

const writeNormalHeader = object<Buffer, CommonHeader>(COMMON);
const writeImportanceHeader = object<Buffer, ImportanceHeader>({
  ...COMMON,
  votingEligibleAccountsCount: uint32Of(BLOCK.footer),
  harvestingEligibleAccountsCount: uint64Of(BLOCK.footer + 4),
  totalVotingBalance: uint64Of(BLOCK.footer + 12),
  previousImportanceBlockHash: hexOf(BLOCK.footer + 20, BLOCK.importanceHeaderSize),
});
const writeUnknownHeader = object<Buffer, UnknownHeader>({
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
  /** With its footer. */
  readonly header: Buffer;
  /** Of the trees under the state hash, 32 bytes each. */
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
