import { z } from "zod";
import {
  Amount,
  BlockFeeMultiplier,
  type BodyOf,
  count,
  entityShape,
  Hash256,
  HeightOrZero,
  ObjectId,
  signedShape,
  Timestamp,
} from "../values/scalars.js";
import * as contents from "./transaction-contents.js";

/** Members of top-level transactions; the maximum fee is in atomic units of the currency. */
const topLevelShape = { ...signedShape, ...entityShape, maxFee: Amount, deadline: Timestamp };

/** The forms of a transaction type: top-level, and embedded in an aggregate. */
function formsOf<Type extends number, Content extends z.ZodRawShape>(name: string, type: Type, content: Content) {
  const literal = { type: z.literal(type) };
  return {
    topLevel: z.object({ ...topLevelShape, ...literal, ...content }).meta({ id: `${name}TransactionDTO` }),
    embedded: z.object({ ...entityShape, ...literal, ...content }).meta({ id: `Embedded${name}TransactionDTO` }),
  };
}

const accountKeyLink = formsOf("AccountKeyLink", 0x414c, contents.keyLink);
const nodeKeyLink = formsOf("NodeKeyLink", 0x424c, contents.keyLink);
const vrfKeyLink = formsOf("VrfKeyLink", 0x4243, contents.keyLink);
const votingKeyLink = formsOf("VotingKeyLink", 0x4143, contents.votingKeyLink);
const hashLock = formsOf("HashLock", 0x4148, contents.hashLock);
const secretLock = formsOf("SecretLock", 0x4152, contents.secretLock);
const secretProof = formsOf("SecretProof", 0x4252, contents.secretProof);
const accountMetadata = formsOf("AccountMetadata", 0x4144, contents.accountMetadata);
const mosaicMetadata = formsOf("MosaicMetadata", 0x4244, contents.mosaicMetadata);
const namespaceMetadata = formsOf("NamespaceMetadata", 0x4344, contents.namespaceMetadata);
const mosaicDefinition = formsOf("MosaicDefinition", 0x414d, contents.mosaicDefinition);
const mosaicSupplyChange = formsOf("MosaicSupplyChange", 0x424d, contents.mosaicSupplyChange);
const mosaicSupplyRevocation = formsOf("MosaicSupplyRevocation", 0x434d, contents.mosaicSupplyRevocation);
const multisigModification = formsOf("MultisigAccountModification", 0x4155, contents.multisigModification);
const addressAlias = formsOf("AddressAlias", 0x424e, contents.addressAlias);
const mosaicAlias = formsOf("MosaicAlias", 0x434e, contents.mosaicAlias);
const namespaceRegistration = formsOf("NamespaceRegistration", 0x414e, contents.namespaceRegistration);
const accountAddressRestriction = formsOf("AccountAddressRestriction", 0x4150, contents.accountAddressRestriction);
const accountMosaicRestriction = formsOf("AccountMosaicRestriction", 0x4250, contents.accountMosaicRestriction);
const accountOperationRestriction = formsOf(
  "AccountOperationRestriction",
  0x4350,
  contents.accountOperationRestriction,
);
const mosaicAddressRestriction = formsOf("MosaicAddressRestriction", 0x4251, contents.mosaicAddressRestriction);
const mosaicGlobalRestriction = formsOf("MosaicGlobalRestriction", 0x4151, contents.mosaicGlobalRestriction);
const transfer = formsOf("Transfer", 0x4154, contents.transfer);

const UNKNOWN = "of a type or version that this program does not know.";

const UnknownTransactionDTO = z
  .object({ ...topLevelShape, ...contents.unknown })
  .meta({ id: "UnknownTransactionDTO", description: `Transaction ${UNKNOWN}` });

const EmbeddedUnknownTransactionDTO = z
  .object({ ...entityShape, ...contents.unknown })
  .meta({ id: "EmbeddedUnknownTransactionDTO", description: `Embedded transaction ${UNKNOWN}` });

const KnownEmbedded = z.union([
  accountKeyLink.embedded,
  nodeKeyLink.embedded,
  vrfKeyLink.embedded,
  votingKeyLink.embedded,
  hashLock.embedded,
  secretLock.embedded,
  secretProof.embedded,
  accountMetadata.embedded,
  mosaicMetadata.embedded,
  namespaceMetadata.embedded,
  mosaicDefinition.embedded,
  mosaicSupplyChange.embedded,
  mosaicSupplyRevocation.embedded,
  multisigModification.embedded,
  addressAlias.embedded,
  mosaicAlias.embedded,
  namespaceRegistration.embedded,
  accountAddressRestriction.embedded,
  accountMosaicRestriction.embedded,
  accountOperationRestriction.embedded,
  mosaicAddressRestriction.embedded,
  mosaicGlobalRestriction.embedded,
  transfer.embedded,
]);

const AnyEmbedded = z.union([...KnownEmbedded.options, EmbeddedUnknownTransactionDTO]);

const blockShape = {
  timestamp: Timestamp.describe("Timestamp of the block; absent while the transaction is in no block.").optional(),
  feeMultiplier: BlockFeeMultiplier.describe(
    "Fee multiplier of the block; absent while the transaction is in no block.",
  ).optional(),
};
const height = HeightOrZero.describe("Height of the block; 0 while the transaction is in no block.");

const EmbeddedTransactionMetaDTO = z
  .object({
    height,
    aggregateHash: Hash256,
    aggregateId: ObjectId,
    index: count.describe("Position in the aggregate, from 0."),
    ...blockShape,
  })
  .meta({ id: "EmbeddedTransactionMetaDTO" });

export const EmbeddedTransactionInfoDTO = z
  .object({ id: ObjectId, meta: EmbeddedTransactionMetaDTO, transaction: AnyEmbedded })
  .meta({ id: "EmbeddedTransactionInfoDTO", description: "A transaction embedded in an aggregate." });

/** Additional members of an aggregate: in look-ups and with `include=transactions` its embedded transactions. */
const embeddedIn = <Embedded extends z.ZodType>(embedded: Embedded) => ({
  transactions: z.array(embedded).describe("The embedded transactions: omitted in searches by default.").optional(),
});

const aggregateShape = { ...topLevelShape, type: z.literal([0x4141, 0x4241]), ...contents.aggregate };

const AggregateTransactionDTO = z
  .object({ ...aggregateShape, ...embeddedIn(EmbeddedTransactionInfoDTO) })
  .meta({ id: "AggregateTransactionDTO", description: "Complete (16705) or bonded (16961) aggregate." });

const TopLevelOnly = z.union([
  accountKeyLink.topLevel,
  nodeKeyLink.topLevel,
  vrfKeyLink.topLevel,
  votingKeyLink.topLevel,
  hashLock.topLevel,
  secretLock.topLevel,
  secretProof.topLevel,
  accountMetadata.topLevel,
  mosaicMetadata.topLevel,
  namespaceMetadata.topLevel,
  mosaicDefinition.topLevel,
  mosaicSupplyChange.topLevel,
  mosaicSupplyRevocation.topLevel,
  multisigModification.topLevel,
  addressAlias.topLevel,
  mosaicAlias.topLevel,
  namespaceRegistration.topLevel,
  accountAddressRestriction.topLevel,
  accountMosaicRestriction.topLevel,
  accountOperationRestriction.topLevel,
  mosaicAddressRestriction.topLevel,
  mosaicGlobalRestriction.topLevel,
  transfer.topLevel,
]);

const AnyTopLevel = z.union([AggregateTransactionDTO, ...TopLevelOnly.options, UnknownTransactionDTO]);

const TransactionMetaDTO = z
  .object({
    height,
    hash: Hash256,
    merkleComponentHash: Hash256.describe("Leaf of the Merkle tree of the block's transactions."),
    index: count.describe("Position in the block, from 0."),
    ...blockShape,
  })
  .meta({ id: "TransactionMetaDTO" });

export const TransactionInfoDTO = z
  .object({ id: ObjectId, meta: TransactionMetaDTO, transaction: AnyTopLevel })
  .meta({ id: "TransactionInfoDTO", description: "A transaction that is not embedded in another." });

/** An entry of a search, and the result of a look-up by id. */
export const AnyTransactionInfo = z.union([TransactionInfoDTO, EmbeddedTransactionInfoDTO]);

/** The fields of a top-level transaction; an unknown type or version has `bin`. */
export type TransactionFields = BodyOf<typeof AnyTopLevel>;
/** The fields of an embedded transaction; an unknown type or version has `bin`. */
export type EmbeddedFields = BodyOf<typeof AnyEmbedded>;
/** The REST body of a transaction that is not embedded. */
export type TransactionBody = BodyOf<typeof TransactionInfoDTO>;
/** The REST body of an embedded transaction. */
export type EmbeddedBody = BodyOf<typeof EmbeddedTransactionInfoDTO>;
/** The REST body of either. */
export type AnyTransactionBody = TransactionBody | EmbeddedBody;

type KnownFields = BodyOf<typeof KnownEmbedded> | Omit<BodyOf<typeof AggregateTransactionDTO>, "transactions">;

/** Transaction types that this program knows. */
export type KnownType = KnownFields["type"];

type ContentIn<Fields extends KnownFields, Type extends KnownType> = Fields extends { readonly type: infer Types }
  ? Type extends Types
    ? Omit<Fields, keyof BodyOf<typeof UnknownTransactionDTO>>
    : never
  : never;

/** The fields that only transactions of a type have. */
export type ContentOf<Type extends KnownType> = ContentIn<KnownFields, Type>;
/** The content of an unknown type or version. */
export type UnknownContent = { readonly bin: string };

const AggregateMessageFields = z.object({
  ...aggregateShape,
  ...embeddedIn(z.object({ transaction: AnyEmbedded })),
});

export const TransactionMessage = z
  .object({
    transaction: z.union([AggregateMessageFields, ...TopLevelOnly.options, UnknownTransactionDTO]),
    meta: z.object({ hash: Hash256, merkleComponentHash: Hash256, height }),
  })
  .meta({
    id: "TransactionMessage",
    description: "Data of the channels `confirmedAdded`, `unconfirmedAdded` and `partialAdded`.",
  });

export type TransactionMessageBody = BodyOf<typeof TransactionMessage>;

export const RemovedMessage = z.object({ meta: z.object({ hash: Hash256 }) }).meta({
  id: "RemovedMessage",
  description: "Data of the channels `unconfirmedRemoved` and `partialRemoved`.",
});

export type RemovedMessageBody = BodyOf<typeof RemovedMessage>;

export const CosignatureMessage = z
  .object({
    ...contents.CosignatureDTO.shape,
    parentHash: Hash256.describe("Hash of the aggregate."),
  })
  .meta({ id: "CosignatureMessage", description: "Data of the channel `cosignature`." });

export type CosignatureMessageBody = BodyOf<typeof CosignatureMessage>;

export const StatusMessage = z
  .object({ hash: Hash256, code: z.string().describe("Why the node rejected the transaction."), deadline: Timestamp })
  .meta({ id: "StatusMessage", description: "Data of the channel `status`." });

export type StatusMessageBody = BodyOf<typeof StatusMessage>;
