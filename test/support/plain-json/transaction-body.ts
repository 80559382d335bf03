import type { ContentOf, UnknownContent } from "../../../catapult/body/transaction.js";
import type { CosignatureFields, MosaicAmount } from "../../../catapult/entity/entity-fields.js";
import { hex } from "../../../catapult/entity/hex.js";
import type { Body, EmbeddedEntity } from "../../../catapult/entity/transaction-entity.js";
import type { KnownKind, TRANSACTION_LAYOUTS } from "../../../catapult/entity/transaction-layouts.js";
import { decimalText, idText } from "../../../catapult/json/format.js";

/** The members of the REST body that are specific to a kind of transaction. */
type Content<K extends KnownKind> = ContentOf<(typeof TRANSACTION_LAYOUTS)[K]["type"]>;
type BodyFields<K extends KnownKind> = (tx: Body<K>) => Content<K>;

const ROOT = 0;

const keyLink: BodyFields<"accountKeyLink" | "nodeKeyLink" | "vrfKeyLink"> = ({ linkedPublicKey, linkAction }) => ({
  linkedPublicKey: hex(linkedPublicKey),
  linkAction,
});

const aggregate: BodyFields<"aggregateComplete" | "aggregateBonded"> = (tx) => ({
  transactionsHash: hex(tx.transactionsHash),
  cosignatures: tx.cosignatures.map(cosignatureFields),
});

function cosignatureFields({ version, signerPublicKey, signature }: CosignatureFields) {
  return { version: decimalText(version), signerPublicKey: hex(signerPublicKey), signature: hex(signature) };
}

function mosaicFields({ mosaicId, amount }: MosaicAmount) {
  return { mosaicId: idText(mosaicId), amount: decimalText(amount) };
}

type Metadata = Body<"accountMetadata" | "mosaicMetadata" | "namespaceMetadata">;

/** Common to the three kinds of metadata; `target` is the target besides the account. */
function metadata<Target extends object>(tx: Metadata, target: Target): Content<"accountMetadata"> & Target {
  return {
    targetAddress: hex(tx.targetAddress),
    scopedMetadataKey: idText(tx.scopedMetadataKey),
    ...target,
    valueSizeDelta: tx.valueSizeDelta,
    valueSize: tx.valueSize,
    value: hex(tx.value),
  };
}

const namespaceRegistration: BodyFields<"namespaceRegistration"> = (tx) => ({
  registrationType: tx.registrationType,
  ...(tx.registrationType === ROOT
    ? { duration: decimalText(tx.durationOrParentId) }
    : { parentId: idText(tx.durationOrParentId) }),
  id: idText(tx.id),
  name: tx.name.toString("utf8"),
});

function accountRestriction<T, Value>(
  tx: {
    readonly restrictionFlags: number;
    readonly restrictionAdditions: readonly T[];
    readonly restrictionDeletions: readonly T[];
  },
  textOf: (value: T) => Value,
) {
  return {
    restrictionFlags: tx.restrictionFlags,
    restrictionAdditions: tx.restrictionAdditions.map(textOf),
    restrictionDeletions: tx.restrictionDeletions.map(textOf),
  };
}

/** An empty message is omitted, as in the reference. */
const transfer: BodyFields<"transfer"> = (tx) => ({
  recipientAddress: hex(tx.recipientAddress),
  ...(tx.messageSize > 0 && { message: hex(tx.message) }),
  mosaics: tx.mosaics.map(({ mosaicId, amount }) => ({ id: idText(mosaicId), amount: decimalText(amount) })),
});

/** The members after those of all transactions. Source: the mappers of catapult's `extensions/mongo`. */
const BODIES: { readonly [K in KnownKind]: BodyFields<K> } = {
  accountKeyLink: keyLink,
  nodeKeyLink: keyLink,
  vrfKeyLink: keyLink,
  votingKeyLink: ({ linkedPublicKey, startEpoch, endEpoch, linkAction }) => ({
    linkedPublicKey: hex(linkedPublicKey),
    startEpoch,
    endEpoch,
    linkAction,
  }),
  aggregateComplete: aggregate,
  aggregateBonded: aggregate,
  hashLock: (tx) => ({ duration: decimalText(tx.duration), ...mosaicFields(tx.mosaic), hash: hex(tx.hash) }),
  secretLock: (tx) => ({
    duration: decimalText(tx.duration),
    ...mosaicFields(tx.mosaic),
    hashAlgorithm: tx.hashAlgorithm,
    secret: hex(tx.secret),
    recipientAddress: hex(tx.recipientAddress),
  }),
  secretProof: (tx) => ({
    hashAlgorithm: tx.hashAlgorithm,
    secret: hex(tx.secret),
    recipientAddress: hex(tx.recipientAddress),
    proof: hex(tx.proof),
  }),
  accountMetadata: (tx) => metadata(tx, {}),
  mosaicMetadata: (tx) => metadata(tx, { targetMosaicId: idText(tx.targetMosaicId) }),
  namespaceMetadata: (tx) => metadata(tx, { targetNamespaceId: idText(tx.targetNamespaceId) }),
  mosaicDefinition: (tx) => ({
    nonce: tx.nonce,
    id: idText(tx.id),
    flags: tx.flags,
    divisibility: tx.divisibility,
    duration: decimalText(tx.duration),
  }),
  mosaicSupplyChange: (tx) => ({
    mosaicId: idText(tx.mosaicId),
    action: tx.action,
    delta: decimalText(tx.delta),
  }),
  mosaicSupplyRevocation: (tx) => ({ sourceAddress: hex(tx.sourceAddress), ...mosaicFields(tx.mosaic) }),
  multisigAccountModification: (tx) => ({
    minRemovalDelta: tx.minRemovalDelta,
    minApprovalDelta: tx.minApprovalDelta,
    addressAdditions: tx.addressAdditions.map(hex),
    addressDeletions: tx.addressDeletions.map(hex),
  }),
  addressAlias: (tx) => ({
    namespaceId: idText(tx.namespaceId),
    aliasAction: tx.aliasAction,
    address: hex(tx.address),
  }),
  mosaicAlias: (tx) => ({
    namespaceId: idText(tx.namespaceId),
    aliasAction: tx.aliasAction,
    mosaicId: idText(tx.mosaicId),
  }),
  namespaceRegistration,
  accountAddressRestriction: (tx) => accountRestriction(tx, hex),
  accountMosaicRestriction: (tx) => accountRestriction(tx, idText),
  accountOperationRestriction: (tx) => accountRestriction(tx, (type) => type),
  mosaicAddressRestriction: (tx) => ({
    mosaicId: idText(tx.mosaicId),
    restrictionKey: idText(tx.restrictionKey),
    targetAddress: hex(tx.targetAddress),
    previousRestrictionValue: decimalText(tx.previousRestrictionValue),
    newRestrictionValue: decimalText(tx.newRestrictionValue),
  }),
  mosaicGlobalRestriction: (tx) => ({
    mosaicId: idText(tx.mosaicId),
    referenceMosaicId: idText(tx.referenceMosaicId),
    restrictionKey: idText(tx.restrictionKey),
    previousRestrictionValue: decimalText(tx.previousRestrictionValue),
    previousRestrictionType: tx.previousRestrictionType,
    newRestrictionValue: decimalText(tx.newRestrictionValue),
    newRestrictionType: tx.newRestrictionType,
  }),
  transfer,
};

/**
 * The members that are specific to this type of transaction; for aggregates without their embedded transactions.
 * Unknown content is `bin`, as in catapult's `mappers/TransactionMapper`.
 */
export function transactionBody(transaction: EmbeddedEntity): Content<KnownKind> | UnknownContent {
  if (transaction.kind === "unknown") return { bin: hex(transaction.payload) };
  const body = BODIES[transaction.kind] as BodyFields<KnownKind>;
  return body(transaction);
}

/** The common members of blocks, transactions and embedded transactions. */
export function entityFields(entity: {
  readonly signerPublicKey: Buffer;
  readonly version: number;
  readonly network: number;
  readonly type: number;
}) {
  return {
    signerPublicKey: hex(entity.signerPublicKey),
    version: entity.version,
    network: entity.network,
    type: entity.type,
  };
}
