/**
 * Offsets and sizes (bytes) inside blocks and transactions.
 * Source: the catbuffer schemas `block.cats`, `transaction.cats`, `aggregate.cats`.
 */

/** The first part of every block and every top-level transaction. */
export const VERIFIABLE = {
  size: 0,
  headerReserved: 4,
  signature: 8,
  signerPublicKey: 72,
  bodyReserved: 104,
  /** The signed bytes begin here. */
  version: 108,
  network: 109,
  type: 110,
} as const;

/** A block's header after the verifiable part. */
export const BLOCK = {
  height: 112,
  timestamp: 120,
  difficulty: 128,
  proofGamma: 136,
  proofVerificationHash: 168,
  proofScalar: 184,
  previousBlockHash: 216,
  transactionsHash: 248,
  receiptsHash: 280,
  stateHash: 312,
  beneficiaryAddress: 344,
  feeMultiplier: 368,
  /** Start of the footer: 4 reserved bytes in a normal block, 52 bytes in nemesis and importance blocks. */
  footer: 372,
  normalHeaderSize: 376,
  importanceHeaderSize: 424,
} as const;

/** A top-level transaction after the verifiable part. */
export const TRANSACTION = {
  maxFee: 112,
  deadline: 120,
  headerSize: 128,
} as const;

/** An aggregate after the transaction header. */
export const AGGREGATE = {
  transactionsHash: 128,
  payloadSize: 160,
  reserved: 164,
  headerSize: 168,
} as const;

/** An embedded transaction. */
export const EMBEDDED = {
  size: 0,
  headerReserved: 4,
  signerPublicKey: 8,
  bodyReserved: 40,
  version: 44,
  network: 45,
  type: 46,
  headerSize: 48,
} as const;

/** A cosignature in an aggregate, after the embedded transactions. */
export const COSIGNATURE = {
  version: 0,
  signerPublicKey: 8,
  signature: 40,
  size: 104,
} as const;

/** Entity type of blocks. */
export const BLOCK_TYPE = { nemesis: 0x8043, normal: 0x8143, importance: 0x8243 } as const;

/** The version of blocks. */
export const BLOCK_VERSION = 1;

/** Padding bytes after an entity of `size` bytes, up to an 8-byte boundary. */
export function paddingSize(size: number): number {
  return (8 - (size % 8)) % 8;
}
