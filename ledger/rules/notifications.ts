import type { BlockEntity } from "../../catapult/entity/block-entity.js";
import type { EmbeddedEntity, TransactionEntity } from "../../catapult/entity/transaction-entity.js";
import type { MetadataIdentity } from "../../catapult/state/composite-hash.js";
import type { RestrictionRule } from "../../catapult/state/mosaic-restriction.js";
import type { Approvals } from "../tables/approvals.js";

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
interface Notifications {
  sourceChange: { to: "block" | "transaction" | "embedded" };
  /** `isResolved`: the address is meant as it is, also where an alias would have these bytes. */
  accountAddress: { address: Buffer; isResolved?: true };
  accountPublicKey: { publicKey: Buffer };
  balanceTransfer: {
    sender: Buffer;
    recipient: Buffer;
    mosaicId: bigint;
    amount: bigint;
    /** Whether the amount is multiplied by the dynamic fee multiplier. */
    isDynamic: boolean;
  };
  balanceDebit: { sender: Buffer; mosaicId: bigint; amount: bigint };
  rentalFee: {
    receiptType: number;
    sender: Buffer;
    recipient: Buffer;
    mosaicId: bigint;
    /** Multiplied by the dynamic fee multiplier. */
    amount: bigint;
  };
  entity: { network: number; type: number; version: number; maxVersion: number };
  transaction: { sender: Buffer; hash: Buffer; type: number };
  /** Milliseconds; a lifetime of 0 means the network's default. */
  transactionDeadline: { deadline: bigint; maxLifetime: number };
  transactionFee: { sender: Buffer; size: number; fee: bigint; maxFee: bigint };
  signature: { signerPublicKey: Buffer; signature: Buffer };
  addressInteraction: { source: Buffer; type: number; participants: readonly Buffer[] };
  mosaicRequired: {
    owner: Buffer;
    mosaicId: bigint;
    flags: number;
    /** Whether the id is never taken for an alias. */
    isResolved?: boolean;
  };
  block: {
    harvester: Buffer;
    beneficiary: Buffer;
    feeMultiplier: number;
    totalFee: bigint;
    isNemesis: boolean;
    /** Number of transactions, embedded ones included. */
    transactionCount: number;
  };
  keyLinkAction: { action: number };
  vrfKeyLink: KeyLink;
  nodeKeyLink: KeyLink;
  remoteKeyLink: KeyLink;
  votingKeyLink: KeyLink & { startEpoch: number; endEpoch: number };
  newRemoteAccount: { linkedPublicKey: Buffer };
  aggregateCosignatures: { transaction: ExecutableTransaction; cosigners: readonly Buffer[] };
  aggregateEmbedded: { transaction: ExecutableTransaction };
  embeddedTransaction: {
    entity: EmbeddedEntity;
    signerAddress: Buffer;
    /** The signatures of the aggregate. */
    approvals: Approvals;
  };
  hashLockDuration: { duration: bigint };
  hashLockMosaic: { mosaicId: bigint; amount: bigint };
  hashLock: { owner: Buffer; mosaicId: bigint; amount: bigint; duration: bigint; hash: Buffer };
  secretLockDuration: { duration: bigint };
  secretLockHashAlgorithm: { hashAlgorithm: number };
  secretLock: {
    owner: Buffer;
    mosaicId: bigint;
    amount: bigint;
    duration: bigint;
    hashAlgorithm: number;
    secret: Buffer;
    recipient: Buffer;
  };
  proofSecret: { hashAlgorithm: number; secret: Buffer; proof: Buffer };
  proofPublication: { hashAlgorithm: number; secret: Buffer; recipient: Buffer };
  metadataSizes: { sizeDelta: number; size: number };
  metadataValue: {
    key: MetadataIdentity;
    sizeDelta: number;
    /** Combined by xor with the existing value. */
    value: Buffer;
  };
  mosaicNonce: { owner: Buffer; nonce: number; mosaicId: bigint };
  mosaicFlags: { flags: number };
  mosaicDefinition: { owner: Buffer; mosaicId: bigint; flags: number; divisibility: number; duration: bigint };
  mosaicSupplyChange: {
    owner: Buffer;
    mosaicId: bigint;
    /** 0 decreases, 1 increases. */
    action: number;
    delta: bigint;
  };
  multisigNewCosignatory: { multisig: Buffer; cosignatory: Buffer };
  multisigCosignatories: { multisig: Buffer; additions: readonly Buffer[]; deletions: readonly Buffer[] };
  multisigSettings: { multisig: Buffer; minRemovalDelta: number; minApprovalDelta: number };
  namespaceRegistration: { registrationType: number };
  rootNamespace: { owner: Buffer; id: bigint; duration: bigint };
  childNamespace: { owner: Buffer; id: bigint; parentId: bigint };
  namespaceName: { id: bigint; parentId: bigint; name: Buffer };
  namespaceRequired: { owner: Buffer; id: bigint };
  aliasLink: { namespaceId: bigint; action: number };
  aliasedAddress: {
    namespaceId: bigint;
    action: number;
    /** Resolved. */
    address: Buffer;
  };
  aliasedMosaic: {
    namespaceId: bigint;
    action: number;
    /** Resolved. */
    mosaicId: bigint;
  };
  accountRestrictionFlags: { flags: number };
  accountRestrictionList: {
    address: Buffer;
    flags: number;
    additions: readonly Buffer[];
    deletions: readonly Buffer[];
  };
  accountRestrictionValue: {
    address: Buffer;
    flags: number;
    /** An address, mosaic id or transaction type in serialized form. */
    value: Buffer;
    isAddition: boolean;
  };
  mosaicRestrictionType: { type: number };
  mosaicRestrictionRequired: { mosaicId: bigint; key: bigint };
  mosaicRule: {
    which: "previous" | "new";
    mosaicId: bigint;
    key: bigint;
    /** The reference mosaic may be an alias. */
    rule: RestrictionRule;
  };
  mosaicAddressValue: { which: "previous" | "new"; mosaicId: bigint; key: bigint; target: Buffer; value: bigint };
  /** Of reserved bytes. */
  internalPadding: { isZero: boolean };
  transferMessage: { size: number };
  transferMosaics: { mosaicIds: readonly bigint[] };
}

/** One of them, with its `kind`. */
export type Notification = {
  readonly [Kind in keyof Notifications]: { readonly kind: Kind } & Readonly<Notifications[Kind]>;
}[keyof Notifications];

interface KeyLink {
  readonly mainPublicKey: Buffer;
  readonly linkedPublicKey: Buffer;
  /** 1 links, 0 unlinks. */
  readonly action: number;
}

export type NotificationOf<K extends Notification["kind"]> = Extract<Notification, { readonly kind: K }>;

/** Receives the notifications of an entity, in order. */
export type Notify = (notification: Notification) => void;
