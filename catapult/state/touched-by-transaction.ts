import { models } from "symbol-sdk/symbol";
import { addressOfPublicKey, isAliasAddress } from "../entity/address.js";
import type { RentalFeeSinks } from "../entity/model.js";
import { isUnknown } from "../entity/unknown-transaction.js";
import {
  METADATA_TYPE,
  metadataCompositeHash,
  mosaicRestrictionCompositeHash,
  secretLockCompositeHash,
} from "./composite-hash.js";
import type { StateKeySet } from "./state-key-set.js";

type AnyTransaction = models.Transaction | models.EmbeddedTransaction;

/** What it takes to know what a transaction changes. */
export interface TouchContext {
  readonly keys: StateKeySet;
  readonly networkIdentifier: number;
  /** Accounts that rental fees go to, where they are known. */
  readonly sinks: RentalFeeSinks | undefined;
  readonly signerAddress: Buffer;
  /** Entity hash (32 bytes) of a top-level transaction; of an embedded one that of its aggregate. */
  readonly hash: Buffer;
  /** Accounts and mosaics behind what was written, at this place of the block. */
  readonly resolveAddress: (unresolved: Uint8Array) => Buffer;
  readonly resolveMosaic: (unresolved: bigint) => bigint;
  /** Notes that a namespace is below another one. */
  readonly addChildNamespace: (id: bigint, parentId: bigint) => void;
  /** Notes that the root above a namespace (or itself) changed. */
  readonly touchNamespace: (id: bigint) => void;
}

type Touch<T> = (tx: T, context: TouchContext) => void;

interface Uint64 {
  readonly value: bigint | number;
}

function idOf(id: Uint64): bigint {
  return BigInt(id.value);
}

const touchSigner: Touch<unknown> = () => undefined;

const touchTransfer: Touch<models.TransferTransactionV1> = (tx, { keys, resolveAddress }) =>
  keys.add("account", resolveAddress(tx.recipientAddress.bytes));

const touchAccountKeyLink: Touch<models.AccountKeyLinkTransactionV1> = (tx, { keys, networkIdentifier }) =>
  keys.add("account", addressOfPublicKey(Buffer.from(tx.linkedPublicKey.bytes), networkIdentifier));

const touchHashLock: Touch<models.HashLockTransactionV1> = (tx, { keys }) => keys.add("hashLock", tx.hash.bytes);

/** A bonded aggregate in a block uses up the lock that was made for it. */
const touchBonded: Touch<unknown> = (_tx, { keys, hash }) => keys.add("hashLock", hash);

const touchSecretLock: Touch<models.SecretLockTransactionV1 | models.SecretProofTransactionV1> = (tx, context) => {
  const recipient = context.resolveAddress(tx.recipientAddress.bytes);
  context.keys.add("account", recipient);
  context.keys.add("secretLock", secretLockCompositeHash(tx.secret.bytes, recipient));
};

/** The sink is made known even where no fee is paid, as in the nemesis block. */
const touchMosaicDefinition: Touch<models.MosaicDefinitionTransactionV1> = (tx, { keys, sinks }) => {
  keys.addId("mosaic", idOf(tx.id));
  if (sinks) keys.add("account", sinks.mosaic);
};

const touchSupplyChange: Touch<models.MosaicSupplyChangeTransactionV1> = (tx, { keys, resolveMosaic }) =>
  keys.addId("mosaic", resolveMosaic(idOf(tx.mosaicId)));

const touchSupplyRevocation: Touch<models.MosaicSupplyRevocationTransactionV1> = (tx, { keys, resolveAddress }) =>
  keys.add("account", resolveAddress(tx.sourceAddress.bytes));

const touchRegistration: Touch<models.NamespaceRegistrationTransactionV1> = (tx, context) => {
  const id = idOf(tx.id);
  if (tx.registrationType === models.NamespaceRegistrationType.CHILD)
    context.addChildNamespace(id, BigInt(tx.parentId?.value ?? 0));
  context.touchNamespace(id);
  if (context.sinks) context.keys.add("account", context.sinks.namespace);
};

const touchAddressAlias: Touch<models.AddressAliasTransactionV1> = (tx, context) => {
  context.keys.add("account", tx.address.bytes);
  context.touchNamespace(idOf(tx.namespaceId));
};

const touchMosaicAlias: Touch<models.MosaicAliasTransactionV1> = (tx, { touchNamespace }) =>
  touchNamespace(idOf(tx.namespaceId));

type MetadataTransaction =
  | models.AccountMetadataTransactionV1
  | models.MosaicMetadataTransactionV1
  | models.NamespaceMetadataTransactionV1;

function touchMetadata(tx: MetadataTransaction, context: TouchContext, metadataType: number, targetId: bigint): void {
  const { keys, signerAddress: sourceAddress } = context;
  const targetAddress = context.resolveAddress(tx.targetAddress.bytes);
  const scopedMetadataKey = BigInt(tx.scopedMetadataKey);
  keys.add("account", targetAddress);
  const identity = { sourceAddress, targetAddress, scopedMetadataKey, targetId, metadataType };
  keys.add("metadata", metadataCompositeHash(identity));
}

const touchAccountMetadata: Touch<models.AccountMetadataTransactionV1> = (tx, context) =>
  touchMetadata(tx, context, METADATA_TYPE.account, 0n);

const touchMosaicMetadata: Touch<models.MosaicMetadataTransactionV1> = (tx, context) => {
  const mosaicId = context.resolveMosaic(idOf(tx.targetMosaicId));
  touchMetadata(tx, context, METADATA_TYPE.mosaic, mosaicId);
};

const touchNamespaceMetadata: Touch<models.NamespaceMetadataTransactionV1> = (tx, context) =>
  touchMetadata(tx, context, METADATA_TYPE.namespace, idOf(tx.targetNamespaceId));

/** Both ends of each link change; who stands further up or down in the graph does not. */
const touchMultisig: Touch<models.MultisigAccountModificationTransactionV1> = (tx, context) => {
  const { keys, signerAddress, resolveAddress } = context;
  keys.add("multisig", signerAddress);
  for (const { bytes } of tx.addressAdditions) {
    const address = resolveAddress(bytes);
    keys.add("account", address);
    keys.add("multisig", address);
  }
  for (const { bytes } of tx.addressDeletions) keys.add("multisig", resolveAddress(bytes));
};

const touchAccountRestriction: Touch<unknown> = (_tx, { keys, signerAddress }) =>
  keys.add("accountRestriction", signerAddress);

const touchGlobalRestriction: Touch<models.MosaicGlobalRestrictionTransactionV1> = (tx, { keys, resolveMosaic }) =>
  keys.add("mosaicRestriction", mosaicRestrictionCompositeHash(resolveMosaic(idOf(tx.mosaicId))));

const touchAddressRestriction: Touch<models.MosaicAddressRestrictionTransactionV1> = (tx, context) => {
  const mosaicId = context.resolveMosaic(idOf(tx.mosaicId));
  const target = context.resolveAddress(tx.targetAddress.bytes);
  context.keys.add("mosaicRestriction", mosaicRestrictionCompositeHash(mosaicId, target));
  // The target need not be an account: an alias that stands for none, or none any more since another account registered
  // its namespace anew in this block, is part of the key as it is written.
  if (isAliasAddress(target)) return;
  const written = Buffer.from(tx.targetAddress.bytes);
  if (isAliasAddress(written)) context.keys.add("mosaicRestriction", mosaicRestrictionCompositeHash(mosaicId, written));
};

const { TransactionType: Type } = models;

/** What each type changes besides its signer. Source: the observers of catapult's transaction plugins. */
const TOUCH_BY_TYPE = new Map<number, Touch<never>>([
  [Type.TRANSFER.value, touchTransfer],
  [Type.ACCOUNT_KEY_LINK.value, touchAccountKeyLink],
  [Type.NODE_KEY_LINK.value, touchSigner],
  [Type.VRF_KEY_LINK.value, touchSigner],
  [Type.VOTING_KEY_LINK.value, touchSigner],
  [Type.AGGREGATE_COMPLETE.value, touchSigner],
  [Type.AGGREGATE_BONDED.value, touchBonded],
  [Type.HASH_LOCK.value, touchHashLock],
  [Type.SECRET_LOCK.value, touchSecretLock],
  [Type.SECRET_PROOF.value, touchSecretLock],
  [Type.MOSAIC_DEFINITION.value, touchMosaicDefinition],
  [Type.MOSAIC_SUPPLY_CHANGE.value, touchSupplyChange],
  [Type.MOSAIC_SUPPLY_REVOCATION.value, touchSupplyRevocation],
  [Type.NAMESPACE_REGISTRATION.value, touchRegistration],
  [Type.ADDRESS_ALIAS.value, touchAddressAlias],
  [Type.MOSAIC_ALIAS.value, touchMosaicAlias],
  [Type.ACCOUNT_METADATA.value, touchAccountMetadata],
  [Type.MOSAIC_METADATA.value, touchMosaicMetadata],
  [Type.NAMESPACE_METADATA.value, touchNamespaceMetadata],
  [Type.MULTISIG_ACCOUNT_MODIFICATION.value, touchMultisig],
  [Type.ACCOUNT_ADDRESS_RESTRICTION.value, touchAccountRestriction],
  [Type.ACCOUNT_MOSAIC_RESTRICTION.value, touchAccountRestriction],
  [Type.ACCOUNT_OPERATION_RESTRICTION.value, touchAccountRestriction],
  [Type.MOSAIC_GLOBAL_RESTRICTION.value, touchGlobalRestriction],
  [Type.MOSAIC_ADDRESS_RESTRICTION.value, touchAddressRestriction],
]);

/** The types of transactions (numbers) whose changes are known. */
export const KNOWN_TYPES: ReadonlySet<number> = new Set(TOUCH_BY_TYPE.keys());

/**
 * Adds the keys of all state values that a transaction may change, without what it holds inside (if it is an aggregate).
 * Of a transaction of an unknown type or version that is its signer. Throws `RangeError` for a type that can be read and is
 * not here: leaving it out would leave state out.
 */
export function touchByTransaction(transaction: AnyTransaction, context: TouchContext): void {
  context.keys.add("account", context.signerAddress);
  if (isUnknown(transaction)) return;
  const touch = TOUCH_BY_TYPE.get(transaction.type.value);
  if (!touch) throw new RangeError(`what transactions of type ${transaction.type.value} change is not known`);
  touch(transaction as never, context);
}
