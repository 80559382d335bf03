import { models } from "symbol-sdk/symbol";
import { isUnknown } from "../entity/unknown-transaction.js";
import { decimalOf, decimalText, hexOf, hexText, idOf, idText } from "./format.js";

/** What a JSON object is made from. */
export type JsonObject = Record<string, unknown>;

const { TransactionType } = models;

function keyLink(tx: models.VrfKeyLinkTransactionV1): JsonObject {
  return { linkedPublicKey: hexOf(tx.linkedPublicKey), linkAction: tx.linkAction.value };
}

function votingKeyLink(tx: models.VotingKeyLinkTransactionV1): JsonObject {
  return {
    linkedPublicKey: hexOf(tx.linkedPublicKey),
    startEpoch: tx.startEpoch.value,
    endEpoch: tx.endEpoch.value,
    linkAction: tx.linkAction.value,
  };
}

function aggregate(tx: models.AggregateCompleteTransactionV2): JsonObject {
  return {
    transactionsHash: hexOf(tx.transactionsHash),
    cosignatures: tx.cosignatures.map((cosignature) => ({
      version: decimalText(cosignature.version as bigint),
      signerPublicKey: hexOf(cosignature.signerPublicKey),
      signature: hexOf(cosignature.signature),
    })),
  };
}

function hashLock(tx: models.HashLockTransactionV1): JsonObject {
  return {
    duration: decimalOf(tx.duration),
    mosaicId: idOf(tx.mosaic.mosaicId),
    amount: decimalOf(tx.mosaic.amount),
    hash: hexOf(tx.hash),
  };
}

function secretLock(tx: models.SecretLockTransactionV1): JsonObject {
  return {
    duration: decimalOf(tx.duration),
    mosaicId: idOf(tx.mosaic.mosaicId),
    amount: decimalOf(tx.mosaic.amount),
    hashAlgorithm: tx.hashAlgorithm.value,
    secret: hexOf(tx.secret),
    recipientAddress: hexOf(tx.recipientAddress),
  };
}

function secretProof(tx: models.SecretProofTransactionV1): JsonObject {
  return {
    hashAlgorithm: tx.hashAlgorithm.value,
    secret: hexOf(tx.secret),
    recipientAddress: hexOf(tx.recipientAddress),
    proof: hexText(tx.proof),
  };
}

type Metadata =
  | models.AccountMetadataTransactionV1
  | models.MosaicMetadataTransactionV1
  | models.NamespaceMetadataTransactionV1;

/** Common to the three kinds of metadata; `target` is what the value belongs to besides the account. */
function metadata(tx: Metadata, target: JsonObject): JsonObject {
  return {
    targetAddress: hexOf(tx.targetAddress),
    scopedMetadataKey: idText(tx.scopedMetadataKey as bigint),
    ...target,
    valueSizeDelta: tx.valueSizeDelta,
    valueSize: tx.value.length,
    value: hexText(tx.value),
  };
}

function mosaicDefinition(tx: models.MosaicDefinitionTransactionV1): JsonObject {
  return {
    nonce: tx.nonce.value,
    id: idOf(tx.id),
    flags: tx.flags.value,
    divisibility: tx.divisibility,
    duration: decimalOf(tx.duration),
  };
}

function mosaicSupplyChange(tx: models.MosaicSupplyChangeTransactionV1): JsonObject {
  return { mosaicId: idOf(tx.mosaicId), action: tx.action.value, delta: decimalOf(tx.delta) };
}

function mosaicSupplyRevocation(tx: models.MosaicSupplyRevocationTransactionV1): JsonObject {
  return {
    sourceAddress: hexOf(tx.sourceAddress),
    mosaicId: idOf(tx.mosaic.mosaicId),
    amount: decimalOf(tx.mosaic.amount),
  };
}

function multisigModification(tx: models.MultisigAccountModificationTransactionV1): JsonObject {
  return {
    minRemovalDelta: tx.minRemovalDelta,
    minApprovalDelta: tx.minApprovalDelta,
    addressAdditions: tx.addressAdditions.map(hexOf),
    addressDeletions: tx.addressDeletions.map(hexOf),
  };
}

function addressAlias(tx: models.AddressAliasTransactionV1): JsonObject {
  return { namespaceId: idOf(tx.namespaceId), aliasAction: tx.aliasAction.value, address: hexOf(tx.address) };
}

function mosaicAlias(tx: models.MosaicAliasTransactionV1): JsonObject {
  return { namespaceId: idOf(tx.namespaceId), aliasAction: tx.aliasAction.value, mosaicId: idOf(tx.mosaicId) };
}

function namespaceRegistration(tx: models.NamespaceRegistrationTransactionV1): JsonObject {
  const isRoot = tx.registrationType === models.NamespaceRegistrationType.ROOT;
  return {
    registrationType: tx.registrationType.value,
    ...(isRoot ? { duration: decimalOf(tx.duration) } : { parentId: idOf(tx.parentId) }),
    id: idOf(tx.id),
    name: Buffer.from(tx.name).toString("utf8"),
  };
}

function accountRestriction<T>(
  tx: {
    readonly restrictionFlags: models.AccountRestrictionFlags;
    readonly restrictionAdditions: readonly T[];
    readonly restrictionDeletions: readonly T[];
  },
  textOf: (value: T) => unknown,
): JsonObject {
  return {
    restrictionFlags: tx.restrictionFlags.value,
    restrictionAdditions: tx.restrictionAdditions.map(textOf),
    restrictionDeletions: tx.restrictionDeletions.map(textOf),
  };
}

function mosaicAddressRestriction(tx: models.MosaicAddressRestrictionTransactionV1): JsonObject {
  return {
    mosaicId: idOf(tx.mosaicId),
    restrictionKey: idText(tx.restrictionKey as bigint),
    targetAddress: hexOf(tx.targetAddress),
    previousRestrictionValue: decimalText(tx.previousRestrictionValue as bigint),
    newRestrictionValue: decimalText(tx.newRestrictionValue as bigint),
  };
}

function mosaicGlobalRestriction(tx: models.MosaicGlobalRestrictionTransactionV1): JsonObject {
  return {
    mosaicId: idOf(tx.mosaicId),
    referenceMosaicId: idOf(tx.referenceMosaicId),
    restrictionKey: idText(tx.restrictionKey as bigint),
    previousRestrictionValue: decimalText(tx.previousRestrictionValue as bigint),
    previousRestrictionType: tx.previousRestrictionType.value,
    newRestrictionValue: decimalText(tx.newRestrictionValue as bigint),
    newRestrictionType: tx.newRestrictionType.value,
  };
}

/** An empty message is left out, as in the reference. */
function transfer(tx: models.TransferTransactionV1): JsonObject {
  return {
    recipientAddress: hexOf(tx.recipientAddress),
    ...(tx.message.length > 0 && { message: hexText(tx.message) }),
    mosaics: tx.mosaics.map(({ mosaicId, amount }) => ({ id: idOf(mosaicId), amount: decimalOf(amount) })),
  };
}

/** By entity type, the fields behind those that all transactions have. Source: the mappers of catapult's `extensions/mongo`. */
const BODIES = new Map<number, (transaction: never) => JsonObject>([
  [TransactionType.ACCOUNT_KEY_LINK.value, keyLink],
  [TransactionType.NODE_KEY_LINK.value, keyLink],
  [TransactionType.VRF_KEY_LINK.value, keyLink],
  [TransactionType.VOTING_KEY_LINK.value, votingKeyLink],
  [TransactionType.AGGREGATE_COMPLETE.value, aggregate],
  [TransactionType.AGGREGATE_BONDED.value, aggregate],
  [TransactionType.HASH_LOCK.value, hashLock],
  [TransactionType.SECRET_LOCK.value, secretLock],
  [TransactionType.SECRET_PROOF.value, secretProof],
  [TransactionType.ACCOUNT_METADATA.value, (tx: models.AccountMetadataTransactionV1) => metadata(tx, {})],
  [
    TransactionType.MOSAIC_METADATA.value,
    (tx: models.MosaicMetadataTransactionV1) => metadata(tx, { targetMosaicId: idOf(tx.targetMosaicId) }),
  ],
  [
    TransactionType.NAMESPACE_METADATA.value,
    (tx: models.NamespaceMetadataTransactionV1) => metadata(tx, { targetNamespaceId: idOf(tx.targetNamespaceId) }),
  ],
  [TransactionType.MOSAIC_DEFINITION.value, mosaicDefinition],
  [TransactionType.MOSAIC_SUPPLY_CHANGE.value, mosaicSupplyChange],
  [TransactionType.MOSAIC_SUPPLY_REVOCATION.value, mosaicSupplyRevocation],
  [TransactionType.MULTISIG_ACCOUNT_MODIFICATION.value, multisigModification],
  [TransactionType.ADDRESS_ALIAS.value, addressAlias],
  [TransactionType.MOSAIC_ALIAS.value, mosaicAlias],
  [TransactionType.NAMESPACE_REGISTRATION.value, namespaceRegistration],
  [
    TransactionType.ACCOUNT_ADDRESS_RESTRICTION.value,
    (tx: models.AccountAddressRestrictionTransactionV1) => accountRestriction(tx, hexOf),
  ],
  [
    TransactionType.ACCOUNT_MOSAIC_RESTRICTION.value,
    (tx: models.AccountMosaicRestrictionTransactionV1) => accountRestriction(tx, idOf),
  ],
  [
    TransactionType.ACCOUNT_OPERATION_RESTRICTION.value,
    (tx: models.AccountOperationRestrictionTransactionV1) => accountRestriction(tx, (type) => type.value),
  ],
  [TransactionType.MOSAIC_ADDRESS_RESTRICTION.value, mosaicAddressRestriction],
  [TransactionType.MOSAIC_GLOBAL_RESTRICTION.value, mosaicGlobalRestriction],
  [TransactionType.TRANSFER.value, transfer],
]);

/**
 * The fields that only this type of transaction has; of aggregates without their embedded transactions. What is not known
 * is `bin`, as catapult's `mappers/TransactionMapper` writes it.
 */
export function transactionBody(transaction: models.Transaction | models.EmbeddedTransaction): JsonObject {
  if (isUnknown(transaction)) return { bin: hexText(transaction.payload) };
  const body = BODIES.get(transaction.type.value);
  if (!body) throw new Error(`no fields are known for transactions of type ${transaction.type.value}`);
  return body(transaction as never);
}

/** The fields that blocks, transactions and embedded transactions share. */
export function entityFields(entity: {
  readonly signerPublicKey: { readonly bytes: Uint8Array };
  readonly version: number;
  readonly network: { readonly value: number };
  readonly type: { readonly value: number };
}): JsonObject {
  return {
    signerPublicKey: hexOf(entity.signerPublicKey),
    version: entity.version,
    network: entity.network.value,
    type: entity.type.value,
  };
}
