import { BLOCK_HEADER, IMPORTANCE_BLOCK_HEADER } from "../structs/block.js";
import { EMBEDDED_HEADER, TRANSACTION_HEADER } from "../structs/header.js";
import { computeLayout, computeOffsets } from "../values/struct.js";

/* Offsets and sizes (bytes) inside blocks and transactions. */

const importanceBlock = computeOffsets(IMPORTANCE_BLOCK_HEADER);

/** A block's header. */
export const BLOCK = {
  ...importanceBlock,
  /** Start of the footer: 4 reserved bytes in a normal block, 52 bytes in nemesis and importance blocks. */
  footer: importanceBlock.votingEligibleAccountsCount,
  normalHeaderSize: computeLayout(BLOCK_HEADER).fixedSize,
  importanceHeaderSize: computeLayout(IMPORTANCE_BLOCK_HEADER).fixedSize,
};

/** A top-level transaction. */
export const TRANSACTION = {
  ...computeOffsets(TRANSACTION_HEADER),
  headerSize: computeLayout(TRANSACTION_HEADER).fixedSize,
};

/** The first part of every block and every top-level transaction. */
export const VERIFIABLE = TRANSACTION;

/** An aggregate after the transaction header. */
export const AGGREGATE = {
  transactionsHash: 128,
  payloadSize: 160,
  reserved: 164,
  headerSize: 168,
} as const;

/** An embedded transaction. */
export const EMBEDDED = { ...computeOffsets(EMBEDDED_HEADER), headerSize: computeLayout(EMBEDDED_HEADER).fixedSize };

/** A cosignature in an aggregate, after the embedded transactions. */
export const COSIGNATURE = {
  version: 0,
  signerPublicKey: 8,
  signature: 40,
  size: 104,
} as const;

/** The version of blocks. */
export const BLOCK_VERSION = 1;

/** Padding bytes after an entity of `size` bytes, up to an 8-byte boundary. */
export function paddingSize(size: number): number {
  return (8 - (size % 8)) % 8;
}
