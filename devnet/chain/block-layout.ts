import { BLOCK, paddingSize, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { blockSigningBytes } from "../../catapult/entity/hashes.js";
import type { Signer } from "../network/signer.js";

const VERSION = 1;

/** The numbers in the footer of a nemesis or importance block. */
export interface ImportanceFooter {
  readonly votingEligibleAccountsCount: number;
  readonly harvestingEligibleAccountsCount: bigint;
  readonly totalVotingBalance: bigint;
  readonly previousImportanceBlockHash: Buffer;
}

/** All fields of a block. */
export interface BlockFields {
  readonly type: number;
  readonly network: number;
  readonly height: number;
  /** Milliseconds since the network's epoch. */
  readonly timestamp: number;
  readonly difficulty: bigint;
  /** 80 bytes: gamma, verification hash, scalar. */
  readonly generationHashProof: Buffer;
  readonly previousBlockHash: Buffer;
  readonly transactionsHash: Buffer;
  readonly receiptsHash: Buffer;
  readonly stateHash: Buffer;
  readonly beneficiaryAddress: Buffer;
  readonly feeMultiplier: number;
  /** Present in nemesis and importance blocks. */
  readonly footer: ImportanceFooter | undefined;
  readonly transactions: readonly Buffer[];
}

/** Serializes and signs a block (layout: catbuffer `block.cats`). */
export function writeBlock(fields: BlockFields, signer: Signer): Buffer {
  const { footer } = fields;
  const headerSize = footer ? BLOCK.importanceHeaderSize : BLOCK.normalHeaderSize;
  const transactions = joinTransactions(fields.transactions);
  const header = Buffer.alloc(headerSize);
  header.writeUInt32LE(headerSize + transactions.length, VERIFIABLE.size);
  signer.publicKey.copy(header, VERIFIABLE.signerPublicKey);
  header.writeUInt8(VERSION, VERIFIABLE.version);
  header.writeUInt8(fields.network, VERIFIABLE.network);
  header.writeUInt16LE(fields.type, VERIFIABLE.type);
  header.writeBigUInt64LE(BigInt(fields.height), BLOCK.height);
  header.writeBigUInt64LE(BigInt(fields.timestamp), 120);
  header.writeBigUInt64LE(fields.difficulty, 128);
  fields.generationHashProof.copy(header, BLOCK.proofGamma);
  fields.previousBlockHash.copy(header, 216);
  fields.transactionsHash.copy(header, 248);
  fields.receiptsHash.copy(header, 280);
  fields.stateHash.copy(header, BLOCK.stateHash);
  fields.beneficiaryAddress.copy(header, 344);
  header.writeUInt32LE(fields.feeMultiplier, 368);
  if (footer) {
    header.writeUInt32LE(footer.votingEligibleAccountsCount, 372);
    header.writeBigUInt64LE(footer.harvestingEligibleAccountsCount, 376);
    header.writeBigUInt64LE(footer.totalVotingBalance, 384);
    footer.previousImportanceBlockHash.copy(header, 392);
  }
  signer.sign(blockSigningBytes(header)).copy(header, VERIFIABLE.signature);
  return Buffer.concat([header, transactions]);
}

function joinTransactions(transactions: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  for (const [index, transaction] of transactions.entries()) {
    parts.push(transaction);
    // every transaction but the last is padded to 8 bytes
    const padding = paddingSize(transaction.length);
    if (padding && index < transactions.length - 1) parts.push(Buffer.alloc(padding));
  }
  return Buffer.concat(parts);
}

/** The position of a block in the chain, according to its header. */
export interface BlockPosition {
  readonly type: number;
  readonly height: number;
  /** Milliseconds since the network's epoch. */
  readonly timestamp: number;
  readonly difficulty: bigint;
  readonly previousBlockHash: Buffer;
}

/** Reads the position of a block in the chain from its bytes. */
export function readBlockPosition(block: Buffer): BlockPosition {
  return {
    type: block.readUInt16LE(VERIFIABLE.type),
    height: Number(block.readBigUInt64LE(BLOCK.height)),
    timestamp: Number(block.readBigUInt64LE(120)),
    difficulty: block.readBigUInt64LE(128),
    previousBlockHash: Buffer.from(block.subarray(216, 248)),
  };
}
