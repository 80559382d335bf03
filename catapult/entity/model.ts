import type { Receipt } from "../structs/receipt.js";
import type { BlockEntity } from "./block-entity.js";
import type { EmbeddedEntity, TransactionEntity } from "./transaction-entity.js";

/** A transaction in a block, with its hashes. Embedded ones are in their aggregate. */
export interface BlockTransaction {
  /** Position among the block's top-level transactions, from 0. */
  readonly index: number;
  readonly bytes: Buffer;
  readonly entity: TransactionEntity;
  /** Entity hash, 32 bytes. */
  readonly hash: Buffer;
  /** Leaf of the block's transactions tree, 32 bytes: the hash, and for aggregates with cosignatures the hash of both. */
  readonly merkleComponentHash: Buffer;
  readonly signerAddress: Buffer;
  /**
   * Addresses (24 bytes) that this transaction and its embedded ones concern, ascending, without duplicates:
   * unresolved, and in a verified block also the targets of aliases.
   */
  readonly relatedAddresses: readonly Buffer[];
  readonly embedded: readonly EmbeddedTransaction[];
}

/** An embedded transaction. */
export interface EmbeddedTransaction {
  /** Position in the aggregate, from 0. */
  readonly index: number;
  readonly entity: EmbeddedEntity;
  readonly signerAddress: Buffer;
  readonly relatedAddresses: readonly Buffer[];
}

/** A decoded block. */
export interface Block {
  /** The bytes as received from a node. */
  readonly bytes: Buffer;
  /** Size of the header with its footer, after which transactions begin. */
  readonly headerSize: number;
  readonly entity: BlockEntity;
  readonly height: number;
  /** Milliseconds since the network's epoch adjustment. */
  readonly timestamp: number;
  readonly difficulty: bigint;
  readonly feeMultiplier: number;
  /** Entity hash, 32 bytes. */
  readonly hash: Buffer;
  /** Generation hash, 32 bytes: the value of the block's VRF proof, also for the nemesis block. */
  readonly generationHash: Buffer;
  readonly previousHash: Buffer;
  readonly signerPublicKey: Buffer;
  readonly signerAddress: Buffer;
  readonly beneficiaryAddress: Buffer;
  readonly transactions: readonly BlockTransaction[];
}

/** The source of a receipt or a resolution. Primary id 0 is the block itself, n the n-th transaction (from 1). */
export interface ReceiptSource {
  readonly primaryId: number;
  readonly secondaryId: number;
}

export interface TransactionStatement {
  readonly source: ReceiptSource;
  readonly receipts: readonly Receipt[];
  /** Leaf of the block's receipts tree, 32 bytes. */
  readonly hash: Buffer;
  /** The bytes as they are in the block's statement. */
  readonly bytes: Buffer;
}

export interface ResolutionStatement<T> {
  readonly unresolved: T;
  readonly entries: readonly { readonly source: ReceiptSource; readonly resolved: T }[];
  readonly hash: Buffer;
  /** The bytes as they are in the block's statement. */
  readonly bytes: Buffer;
}

/** All receipts of a block, in the order of the receipts tree: transaction, address resolution, mosaic resolution. */
export interface BlockStatement {
  readonly transactionStatements: readonly TransactionStatement[];
  readonly addressResolutions: readonly ResolutionStatement<Buffer>[];
  readonly mosaicResolutions: readonly ResolutionStatement<bigint>[];
}

/** A verified block: its hashes, its statement and (if given) its state hash match its header. */
export interface VerifiedBlock extends Block {
  readonly statementBytes: Buffer;
  readonly statement: BlockStatement;
  /** The nine roots under the state hash (fewer if plugins are missing); empty if the node sent none. */
  readonly subCacheMerkleRoots: readonly Buffer[];
}

/** The accounts (24 bytes each) that receive rental fees of mosaics and namespaces. */
export interface RentalFeeSinks {
  readonly mosaic: Buffer;
  readonly namespace: Buffer;
}

/** Identity of a network: identifier byte (104 main, 152 test) and generation hash seed (32 bytes). */
export interface NetworkIdentity {
  readonly identifier: number;
  readonly generationHashSeed: Buffer;
  /**
   * The sinks at a height, if known: the reference counts them among the addresses that a mosaic definition or a
   * namespace registration concerns. Without them, a verified block still has the sinks that were paid, from its
   * receipts.
   */
  readonly rentalFeeSinks?: (height: number) => RentalFeeSinks;
}
