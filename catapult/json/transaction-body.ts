import { models } from "symbol-sdk/symbol";
import type { ContentOf, KnownType, UnknownContent } from "../body/transaction.js";
import { isUnknown } from "../entity/unknown-transaction.js";
import { decimalOf, decimalText, hexOf, hexText, idOf, idText } from "./format.js";

function keyLink(tx: models.VrfKeyLinkTransactionV1): ContentOf<0x414c> {
  return { linkedPublicKey: hexOf(tx.linkedPublicKey), linkAction: tx.linkAction.value };
}

function votingKeyLink(tx: models.VotingKeyLinkTransactionV1): ContentOf<0x4143> {
  return {
    linkedPublicKey: hexOf(tx.linkedPublicKey),
    startEpoch: Number(tx.startEpoch.value),
    endEpoch: Number(tx.endEpoch.value),
    linkAction: tx.linkAction.value,
  };
}

function aggregate(tx: models.AggregateCompleteTransactionV2): ContentOf<0x4141> {
  return {
    transactionsHash: hexOf(tx.transactionsHash),
    cosignatures: tx.cosignatures.map((cosignature) => ({
      version: decimalText(cosignature.version as bigint),
      signerPublicKey: hexOf(cosignature.signerPublicKey),
      signature: hexOf(cosignature.signature),
    })),
  };
}

function hashLock(tx: models.HashLockTransactionV1): ContentOf<0x4148> {
  return {
    duration: decimalOf(tx.duration),
    mosaicId: idOf(tx.mosaic.mosaicId),
    amount: decimalOf(tx.mosaic.amount),
    hash: hexOf(tx.hash),
  };
}

function secretLock(tx: models.SecretLockTransactionV1): ContentOf<0x4152> {
  return {
    duration: decimalOf(tx.duration),
    mosaicId: idOf(tx.mosaic.mosaicId),
    amount: decimalOf(tx.mosaic.amount),
    hashAlgorithm: tx.hashAlgorithm.value,
    secret: hexOf(tx.secret),
    recipientAddress: hexOf(tx.recipientAddress),
  };
}

function secretProof(tx: models.SecretProofTransactionV1): ContentOf<0x4252> {
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
function metadata<Target extends object>(tx: Metadata, target: Target): ContentOf<0x4144> & Target {
  return {
    targetAddress: hexOf(tx.targetAddress),
    scopedMetadataKey: idText(tx.scopedMetadataKey as bigint),
    ...target,
    valueSizeDelta: tx.valueSizeDelta,
    valueSize: tx.value.length,
    value: hexText(tx.value),
  };
}

function mosaicDefinition(tx: models.MosaicDefinitionTransactionV1): ContentOf<0x414d> {
  return {
    nonce: Number(tx.nonce.value),
    id: idOf(tx.id),
    flags: tx.flags.value,
    divisibility: tx.divisibility,
    duration: decimalOf(tx.duration),
  };
}

function mosaicSupplyChange(tx: models.MosaicSupplyChangeTransactionV1): ContentOf<0x424d> {
  return { mosaicId: idOf(tx.mosaicId), action: tx.action.value, delta: decimalOf(tx.delta) };
}

function mosaicSupplyRevocation(tx: models.MosaicSupplyRevocationTransactionV1): ContentOf<0x434d> {
  return {
    sourceAddress: hexOf(tx.sourceAddress),
    mosaicId: idOf(tx.mosaic.mosaicId),
    amount: decimalOf(tx.mosaic.amount),
  };
}

function multisigModification(tx: models.MultisigAccountModificationTransactionV1): ContentOf<0x4155> {
  return {
    minRemovalDelta: tx.minRemovalDelta,
    minApprovalDelta: tx.minApprovalDelta,
    addressAdditions: tx.addressAdditions.map(hexOf),
    addressDeletions: tx.addressDeletions.map(hexOf),
  };
}

function addressAlias(tx: models.AddressAliasTransactionV1): ContentOf<0x424e> {
  return { namespaceId: idOf(tx.namespaceId), aliasAction: tx.aliasAction.value, address: hexOf(tx.address) };
}

function mosaicAlias(tx: models.MosaicAliasTransactionV1): ContentOf<0x434e> {
  return { namespaceId: idOf(tx.namespaceId), aliasAction: tx.aliasAction.value, mosaicId: idOf(tx.mosaicId) };
}

function namespaceRegistration(tx: models.NamespaceRegistrationTransactionV1): ContentOf<0x414e> {
  const isRoot = tx.registrationType === models.NamespaceRegistrationType.ROOT;
  return {
    registrationType: tx.registrationType.value,
    ...(isRoot ? { duration: decimalOf(tx.duration) } : { parentId: idOf(tx.parentId) }),
    id: idOf(tx.id),
    name: Buffer.from(tx.name).toString("utf8"),
  };
}

function accountRestriction<T, Value>(
  tx: {
    readonly restrictionFlags: models.AccountRestrictionFlags;
    readonly restrictionAdditions: readonly T[];
    readonly restrictionDeletions: readonly T[];
  },
  textOf: (value: T) => Value,
) {
  return {
    restrictionFlags: tx.restrictionFlags.value,
    restrictionAdditions: tx.restrictionAdditions.map(textOf),
    restrictionDeletions: tx.restrictionDeletions.map(textOf),
  };
}

function mosaicAddressRestriction(tx: models.MosaicAddressRestrictionTransactionV1): ContentOf<0x4251> {
  return {
    mosaicId: idOf(tx.mosaicId),
    restrictionKey: idText(tx.restrictionKey as bigint),
    targetAddress: hexOf(tx.targetAddress),
    previousRestrictionValue: decimalText(tx.previousRestrictionValue as bigint),
    newRestrictionValue: decimalText(tx.newRestrictionValue as bigint),
  };
}

function mosaicGlobalRestriction(tx: models.MosaicGlobalRestrictionTransactionV1): ContentOf<0x4151> {
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
function transfer(tx: models.TransferTransactionV1): ContentOf<0x4154> {
  return {
    recipientAddress: hexOf(tx.recipientAddress),
    ...(tx.message.length > 0 && { message: hexText(tx.message) }),
    mosaics: tx.mosaics.map(({ mosaicId, amount }) => ({ id: idOf(mosaicId), amount: decimalOf(amount) })),
  };
}

/** By entity type, the fields behind those that all transactions have. Source: the mappers of catapult's `extensions/mongo`. */
const CONTENTS: { readonly [Type in KnownType]: (transaction: never) => ContentOf<Type> } = {
  16716: keyLink,
  16972: keyLink,
  16963: keyLink,
  16707: votingKeyLink,
  16705: aggregate,
  16961: aggregate,
  16712: hashLock,
  16722: secretLock,
  16978: secretProof,
  16708: (tx: models.AccountMetadataTransactionV1) => metadata(tx, {}),
  16964: (tx: models.MosaicMetadataTransactionV1) => metadata(tx, { targetMosaicId: idOf(tx.targetMosaicId) }),
  17220: (tx: models.NamespaceMetadataTransactionV1) => metadata(tx, { targetNamespaceId: idOf(tx.targetNamespaceId) }),
  16717: mosaicDefinition,
  16973: mosaicSupplyChange,
  17229: mosaicSupplyRevocation,
  16725: multisigModification,
  16974: addressAlias,
  17230: mosaicAlias,
  16718: namespaceRegistration,
  16720: (tx: models.AccountAddressRestrictionTransactionV1) => accountRestriction(tx, hexOf),
  16976: (tx: models.AccountMosaicRestrictionTransactionV1) => accountRestriction(tx, idOf),
  17232: (tx: models.AccountOperationRestrictionTransactionV1) => accountRestriction(tx, (type) => type.value),
  16977: mosaicAddressRestriction,
  16721: mosaicGlobalRestriction,
  16724: transfer,
};

const contents = new Map<number, (transaction: never) => ContentOf<KnownType>>(
  Object.entries(CONTENTS).map(([type, content]) => [Number(type), content]),
);

/**
 * The fields that only this type of transaction has; of aggregates without their embedded transactions. What is not known
 * is `bin`, as catapult's `mappers/TransactionMapper` writes it.
 */
export function transactionBody(
  transaction: models.Transaction | models.EmbeddedTransaction,
): ContentOf<KnownType> | UnknownContent {
  if (isUnknown(transaction)) return { bin: hexText(transaction.payload) };
  const content = contents.get(transaction.type.value);
  if (!content) throw new Error(`no fields are known for transactions of type ${transaction.type.value}`);
  return content(transaction as never);
}

/** The fields that blocks, transactions and embedded transactions share. */
export function entityFields(entity: {
  readonly signerPublicKey: { readonly bytes: Uint8Array };
  readonly version: number;
  readonly network: { readonly value: number };
  readonly type: { readonly value: number };
}) {
  return {
    signerPublicKey: hexOf(entity.signerPublicKey),
    version: entity.version,
    network: entity.network.value,
    type: entity.type.value,
  };
}
