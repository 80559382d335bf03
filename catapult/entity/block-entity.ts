import { BLOCK_TYPE } from "../structs/type-names.js";
import { BLOCK, BLOCK_VERSION, VERIFIABLE } from "./entity-layout.js";

/** Fields of nemesis and importance blocks only. */
export interface ImportanceFooter {
  readonly votingEligibleAccountsCount: number;
  readonly harvestingEligibleAccountsCount: bigint;
  /** Atomic units. */
  readonly totalVotingBalance: bigint;
  readonly previousImportanceBlockHash: Buffer;
}

/** The proof of the generation hash: 32, 16 and 32 bytes. */
export interface GenerationHashProof {
  readonly gamma: Buffer;
  readonly verificationHash: Buffer;
  readonly scalar: Buffer;
}

/**
 * The fields of a block's header, read from its bytes on access; buffers are views of these bytes. Source: the
 * catbuffer schema `block.cats`.
 */
export class BlockEntity {
  readonly #bytes: Buffer;

  /** @param bytes at least the header with its footer */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get signature(): Buffer {
    return this.#bytes.subarray(VERIFIABLE.signature, VERIFIABLE.signerPublicKey);
  }

  get signerPublicKey(): Buffer {
    return this.#bytes.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved);
  }

  get version(): number {
    return this.#bytes[VERIFIABLE.version]!;
  }

  get network(): number {
    return this.#bytes[VERIFIABLE.network]!;
  }

  /** Entity type. */
  get type(): number {
    return this.#bytes.readUInt16LE(VERIFIABLE.type);
  }

  get difficulty(): bigint {
    return this.#bytes.readBigUInt64LE(BLOCK.difficulty);
  }

  get generationHashProof(): GenerationHashProof {
    const { proofGamma, proofVerificationHash, proofScalar, previousBlockHash } = BLOCK;
    return {
      gamma: this.#bytes.subarray(proofGamma, proofVerificationHash),
      verificationHash: this.#bytes.subarray(proofVerificationHash, proofScalar),
      scalar: this.#bytes.subarray(proofScalar, previousBlockHash),
    };
  }

  get previousBlockHash(): Buffer {
    return this.#bytes.subarray(BLOCK.previousBlockHash, BLOCK.transactionsHash);
  }

  get transactionsHash(): Buffer {
    return this.#bytes.subarray(BLOCK.transactionsHash, BLOCK.receiptsHash);
  }

  get receiptsHash(): Buffer {
    return this.#bytes.subarray(BLOCK.receiptsHash, BLOCK.stateHash);
  }

  get stateHash(): Buffer {
    return this.#bytes.subarray(BLOCK.stateHash, BLOCK.beneficiaryAddress);
  }

  get beneficiaryAddress(): Buffer {
    return this.#bytes.subarray(BLOCK.beneficiaryAddress, BLOCK.feeMultiplier);
  }

  get feeMultiplier(): number {
    return this.#bytes.readUInt32LE(BLOCK.feeMultiplier);
  }

  /** Undefined for normal blocks, and for blocks of an unknown type. */
  get importance(): ImportanceFooter | undefined {
    if (this.type !== BLOCK_TYPE.nemesis && this.type !== BLOCK_TYPE.importance) return undefined;
    const { footer } = BLOCK;
    return {
      votingEligibleAccountsCount: this.#bytes.readUInt32LE(footer),
      harvestingEligibleAccountsCount: this.#bytes.readBigUInt64LE(footer + 4),
      totalVotingBalance: this.#bytes.readBigUInt64LE(footer + 12),
      previousImportanceBlockHash: this.#bytes.subarray(footer + 20, footer + 52),
    };
  }
}

/** Whether all fields of a block's header are known. */
export function isKnownBlock({ type, version }: { readonly type: number; readonly version: number }): boolean {
  return blockHeaderSize(type) !== undefined && version === BLOCK_VERSION;
}

/** Size of a block's header with its footer, by the block's type; undefined for an unknown type. */
export function blockHeaderSize(type: number): number | undefined {
  if (type === BLOCK_TYPE.normal) return BLOCK.normalHeaderSize;
  return type === BLOCK_TYPE.nemesis || type === BLOCK_TYPE.importance ? BLOCK.importanceHeaderSize : undefined;
}
