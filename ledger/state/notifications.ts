import type { BlockEntity } from "../../catapult/entity/block-entity.js";
import type { EmbeddedEntity, TransactionEntity } from "../../catapult/entity/transaction-entity.js";
import type { MetadataKey } from "./metadata.js";
import type { RestrictionRule } from "./mosaic-restrictions.js";

/** A decoded transaction, in the form of the rules. */
export interface ExecutableTransaction {
  readonly bytes: Buffer;
  readonly entity: TransactionEntity;
  /** Entity hash, 32 bytes. */
  readonly hash: Buffer;
  readonly signerAddress: Buffer;
  readonly embedded: readonly { readonly entity: EmbeddedEntity; readonly signerAddress: Buffer }[];
}

/** A decoded block, in the form of the rules. */
export interface ExecutableBlock {
  readonly height: number;
  /** Milliseconds since the network's epoch. */
  readonly timestamp: number;
  readonly feeMultiplier: number;
  readonly signerPublicKey: Buffer;
  readonly signerAddress: Buffer;
  readonly beneficiaryAddress: Buffer;
  readonly transactions: readonly ExecutableTransaction[];
  /** Of the header; not for a block that is not written yet. */
  readonly entity?: Pick<BlockEntity, "network" | "type" | "version" | "signature">;
}

/**
 * The effects of a transaction or block, in small steps: validators check each one, observers execute it, in the
 * order in which they are published. Kinds and order are those of the reference's notifications, because they
 * determine which failure a transaction with several errors gets. Addresses and mosaic ids may be aliases unless
 * noted otherwise.
 */
export type Notification =
  | { readonly kind: "sourceChange"; readonly to: "block" | "transaction" | "embedded" }
  /** `isResolved`: the address is meant as it is, also where an alias would have these bytes. */
  | { readonly kind: "accountAddress"; readonly address: Buffer; readonly isResolved?: true }
  | { readonly kind: "accountPublicKey"; readonly publicKey: Buffer }
  | {
      readonly kind: "balanceTransfer";
      readonly sender: Buffer;
      readonly recipient: Buffer;
      readonly mosaicId: bigint;
      readonly amount: bigint;
      /** Whether the amount is multiplied by the dynamic fee multiplier. */
      readonly isDynamic: boolean;
    }
  | { readonly kind: "balanceDebit"; readonly sender: Buffer; readonly mosaicId: bigint; readonly amount: bigint }
  | {
      readonly kind: "rentalFee";
      readonly receiptType: number;
      readonly sender: Buffer;
      readonly recipient: Buffer;
      readonly mosaicId: bigint;
      /** Multiplied by the dynamic fee multiplier. */
      readonly amount: bigint;
    }
  | {
      readonly kind: "entity";
      readonly network: number;
      readonly type: number;
      readonly version: number;
      readonly maxVersion: number;
    }
  | { readonly kind: "transaction"; readonly sender: Buffer; readonly hash: Buffer; readonly type: number }
  /** Milliseconds; a lifetime of 0 means the network's default. */
  | { readonly kind: "transactionDeadline"; readonly deadline: bigint; readonly maxLifetime: number }
  | {
      readonly kind: "transactionFee";
      readonly sender: Buffer;
      readonly size: number;
      readonly fee: bigint;
      readonly maxFee: bigint;
    }
  | { readonly kind: "signature"; readonly signerPublicKey: Buffer; readonly signature: Buffer }
  | {
      readonly kind: "addressInteraction";
      readonly source: Buffer;
      readonly type: number;
      readonly participants: readonly Buffer[];
    }
  | {
      readonly kind: "mosaicRequired";
      readonly owner: Buffer;
      readonly mosaicId: bigint;
      readonly flags: number;
      /** Whether the id is never taken for an alias. */
      readonly isResolved?: boolean;
    }
  | {
      readonly kind: "block";
      readonly harvester: Buffer;
      readonly beneficiary: Buffer;
      readonly feeMultiplier: number;
      readonly totalFee: bigint;
      readonly isNemesis: boolean;
      /** Number of transactions, embedded ones included. */
      readonly transactionCount: number;
    }
  | { readonly kind: "keyLinkAction"; readonly action: number }
  | KeyLink<"vrfKeyLink">
  | KeyLink<"nodeKeyLink">
  | KeyLink<"remoteKeyLink">
  | (KeyLink<"votingKeyLink"> & { readonly startEpoch: number; readonly endEpoch: number })
  | { readonly kind: "newRemoteAccount"; readonly linkedPublicKey: Buffer }
  | {
      readonly kind: "aggregateCosignatures";
      readonly transaction: ExecutableTransaction;
      readonly cosigners: readonly Buffer[];
    }
  | { readonly kind: "aggregateEmbedded"; readonly transaction: ExecutableTransaction }
  | {
      readonly kind: "embeddedTransaction";
      readonly entity: EmbeddedEntity;
      readonly signerAddress: Buffer;
      /** Addresses of the aggregate's signer and cosigners. */
      readonly signers: readonly Buffer[];
    }
  | { readonly kind: "hashLockDuration"; readonly duration: bigint }
  | { readonly kind: "hashLockMosaic"; readonly mosaicId: bigint; readonly amount: bigint }
  | {
      readonly kind: "hashLock";
      readonly owner: Buffer;
      readonly mosaicId: bigint;
      readonly amount: bigint;
      readonly duration: bigint;
      readonly hash: Buffer;
    }
  | { readonly kind: "secretLockDuration"; readonly duration: bigint }
  | { readonly kind: "secretLockHashAlgorithm"; readonly hashAlgorithm: number }
  | {
      readonly kind: "secretLock";
      readonly owner: Buffer;
      readonly mosaicId: bigint;
      readonly amount: bigint;
      readonly duration: bigint;
      readonly hashAlgorithm: number;
      readonly secret: Buffer;
      readonly recipient: Buffer;
    }
  | { readonly kind: "proofSecret"; readonly hashAlgorithm: number; readonly secret: Buffer; readonly proof: Buffer }
  | {
      readonly kind: "proofPublication";
      readonly hashAlgorithm: number;
      readonly secret: Buffer;
      readonly recipient: Buffer;
    }
  | { readonly kind: "metadataSizes"; readonly sizeDelta: number; readonly size: number }
  | {
      readonly kind: "metadataValue";
      readonly key: MetadataKey;
      readonly sizeDelta: number;
      /** Combined by xor with the existing value. */
      readonly value: Buffer;
    }
  | { readonly kind: "mosaicNonce"; readonly owner: Buffer; readonly nonce: number; readonly mosaicId: bigint }
  | { readonly kind: "mosaicFlags"; readonly flags: number }
  | {
      readonly kind: "mosaicDefinition";
      readonly owner: Buffer;
      readonly mosaicId: bigint;
      readonly flags: number;
      readonly divisibility: number;
      readonly duration: bigint;
    }
  | {
      readonly kind: "mosaicSupplyChange";
      readonly owner: Buffer;
      readonly mosaicId: bigint;
      /** 0 decreases, 1 increases. */
      readonly action: number;
      readonly delta: bigint;
    }
  | { readonly kind: "multisigNewCosignatory"; readonly multisig: Buffer; readonly cosignatory: Buffer }
  | {
      readonly kind: "multisigCosignatories";
      readonly multisig: Buffer;
      readonly additions: readonly Buffer[];
      readonly deletions: readonly Buffer[];
    }
  | {
      readonly kind: "multisigSettings";
      readonly multisig: Buffer;
      readonly minRemovalDelta: number;
      readonly minApprovalDelta: number;
    }
  | { readonly kind: "namespaceRegistration"; readonly registrationType: number }
  | { readonly kind: "rootNamespace"; readonly owner: Buffer; readonly id: bigint; readonly duration: bigint }
  | { readonly kind: "childNamespace"; readonly owner: Buffer; readonly id: bigint; readonly parentId: bigint }
  | { readonly kind: "namespaceName"; readonly id: bigint; readonly parentId: bigint; readonly name: Buffer }
  | { readonly kind: "namespaceRequired"; readonly owner: Buffer; readonly id: bigint }
  | { readonly kind: "aliasLink"; readonly namespaceId: bigint; readonly action: number }
  | {
      readonly kind: "aliasedAddress";
      readonly namespaceId: bigint;
      readonly action: number;
      /** Resolved. */
      readonly address: Buffer;
    }
  | {
      readonly kind: "aliasedMosaic";
      readonly namespaceId: bigint;
      readonly action: number;
      /** Resolved. */
      readonly mosaicId: bigint;
    }
  | { readonly kind: "accountRestrictionFlags"; readonly flags: number }
  | {
      readonly kind: "accountRestrictionList";
      readonly address: Buffer;
      readonly flags: number;
      readonly additions: readonly Buffer[];
      readonly deletions: readonly Buffer[];
    }
  | {
      readonly kind: "accountRestrictionValue";
      readonly address: Buffer;
      readonly flags: number;
      /** An address, mosaic id or transaction type in serialized form. */
      readonly value: Buffer;
      readonly isAddition: boolean;
    }
  | { readonly kind: "mosaicRestrictionType"; readonly type: number }
  | { readonly kind: "mosaicRestrictionRequired"; readonly mosaicId: bigint; readonly key: bigint }
  | {
      readonly kind: "mosaicRule";
      readonly which: "previous" | "new";
      readonly mosaicId: bigint;
      readonly key: bigint;
      /** The reference mosaic may be an alias. */
      readonly rule: RestrictionRule;
    }
  | {
      readonly kind: "mosaicAddressValue";
      readonly which: "previous" | "new";
      readonly mosaicId: bigint;
      readonly key: bigint;
      readonly target: Buffer;
      readonly value: bigint;
    }
  /** Of reserved bytes. */
  | { readonly kind: "internalPadding"; readonly isZero: boolean }
  | { readonly kind: "transferMessage"; readonly size: number }
  | { readonly kind: "transferMosaics"; readonly mosaicIds: readonly bigint[] };

interface KeyLink<K extends string> {
  readonly kind: K;
  readonly mainPublicKey: Buffer;
  readonly linkedPublicKey: Buffer;
  /** 1 links, 0 unlinks. */
  readonly action: number;
}

/** The notification of one kind. */
export type NotificationOf<K extends Notification["kind"]> = Extract<Notification, { readonly kind: K }>;

/** Receives the notifications of an entity, in order. */
export type Notify = (notification: Notification) => void;
