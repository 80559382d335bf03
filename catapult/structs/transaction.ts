import { z } from "zod";
import {
  AddressHex,
  Amount,
  BlockFeeMultiplier,
  type BodyOf,
  count,
  Hash256,
  HeightOrZero,
  Hex,
  MosaicId,
  ObjectId,
  Timestamp,
} from "../values/scalars.js";
import { describedFields, type JsonOf, makeShape } from "../values/struct.js";
import { EMBEDDED_HEADER, TRANSACTION_HEADER, typeIn } from "./header.js";
import { COSIGNATURE } from "./nested-structs.js";
import { TRANSACTION_LAYOUTS, type TransactionLayout } from "./transaction-types.js";
import type { TransactionKind } from "./type-names.js";

/** The members that only transactions of a kind have. */
export type ContentOf<Kind extends TransactionKind> = JsonOf<(typeof TRANSACTION_LAYOUTS)[Kind]>;
/** The content of an unknown type or version. */
export type UnknownContent = { readonly bin: string };

type AggregateKind = "aggregate_complete" | "aggregate_bonded";
type EmbeddableKind = Exclude<TransactionKind, AggregateKind>;
/** The members of transactions of some kinds, with those that all of them have. */
type KnownFields<Common, Kind extends TransactionKind> = {
  [K in Kind]: Omit<Common, "type"> & { readonly type: (typeof TRANSACTION_LAYOUTS)[K]["type"] } & ContentOf<K>;
}[Kind];

const topLevelShape = makeShape(describedFields(TRANSACTION_HEADER));
const embeddedShape = makeShape(describedFields(EMBEDDED_HEADER));

/** The members of all top-level transactions. */
type CommonFields = JsonOf<typeof TRANSACTION_HEADER>;
/** The members of all embedded transactions. */
type CommonEmbeddedFields = JsonOf<typeof EMBEDDED_HEADER>;

const EMBEDDABLE = Object.values<TransactionLayout>(TRANSACTION_LAYOUTS).filter(
  ({ isTopLevelOnly }) => !isTopLevelOnly,
);

/** The schemas of all types that can be embedded. */
function makeSchemas(prefix: string, common: z.ZodRawShape): z.ZodType[] {
  return EMBEDDABLE.map((layout) =>
    z
      .object({ ...common, type: typeIn(layout.type), ...makeShape(describedFields(layout)) })
      .meta({ id: `${prefix}${layout.schema}TransactionDTO` }),
  );
}

/** A union of schemas whose types follow from the declarations, which the compiler cannot infer from a list. */
function unionSchema<Fields>(schemas: readonly z.ZodType[]): z.ZodType<Fields> {
  return z.union(schemas) as unknown as z.ZodType<Fields>;
}

const UNKNOWN = "of a type or version that this program does not know.";
const bin = Hex.describe("The bytes after the header.");

const UnknownTransactionDTO = z
  .object({ ...topLevelShape, bin })
  .meta({ id: "UnknownTransactionDTO", description: `Transaction ${UNKNOWN}` });

const EmbeddedUnknownTransactionDTO = z
  .object({ ...embeddedShape, bin })
  .meta({ id: "EmbeddedUnknownTransactionDTO", description: `Embedded transaction ${UNKNOWN}` });

/** The fields of an embedded transaction; an unknown type or version has `bin`. */
export type EmbeddedFields =
  | KnownFields<CommonEmbeddedFields, EmbeddableKind>
  | (CommonEmbeddedFields & UnknownContent);

const AnyEmbedded = unionSchema<EmbeddedFields>([
  ...makeSchemas("Embedded", embeddedShape),
  EmbeddedUnknownTransactionDTO,
]);

const anyEmbedded = AnyEmbedded.describe("The embedded transaction as it was signed; its members depend on `type`.");

const blockShape = {
  timestamp: Timestamp.describe("Timestamp of the block; absent while the transaction is in no block.").optional(),
  feeMultiplier: BlockFeeMultiplier.describe(
    "Fee multiplier of the block; absent while the transaction is in no block.",
  ).optional(),
};
const height = HeightOrZero.describe("Height of the block; 0 while the transaction is in no block.");

const ResolvedDTO = z
  .object({
    recipientAddress: AddressHex.describe("The recipient.").optional(),
    sourceAddress: AddressHex.describe("The account that a revocation takes the mosaic from.").optional(),
    mosaicId: MosaicId.describe("The mosaic of a transaction that names one.").optional(),
    mosaics: z
      .array(z.object({ id: MosaicId, amount: Amount }))
      .describe("The mosaics of a transfer, in its order.")
      .optional(),
  })
  .meta({
    id: "ResolvedDTO",
    description:
      "What the transaction names, with accounts and mosaics in place of namespaces that pointed to them then.",
  });

const resolvedShape = { resolved: ResolvedDTO.describe("With `resolved=true` in searches only.").optional() };

const EmbeddedTransactionMetaDTO = z
  .object({
    height,
    aggregateHash: Hash256.describe("Hash of the aggregate that contains the transaction."),
    aggregateId: ObjectId.describe("Id of the aggregate that contains the transaction."),
    index: count.describe("Position in the aggregate, from 0."),
    ...blockShape,
    ...resolvedShape,
  })
  .meta({ id: "EmbeddedTransactionMetaDTO", description: "What is known about it besides its own bytes." });

export const EmbeddedTransactionInfoDTO = z
  .object({
    id: ObjectId,
    meta: EmbeddedTransactionMetaDTO,
    transaction: anyEmbedded,
  })
  .meta({ id: "EmbeddedTransactionInfoDTO", description: "A transaction embedded in an aggregate." });

/** The REST body of an embedded transaction. */
export type EmbeddedBody = BodyOf<typeof EmbeddedTransactionInfoDTO>;

/** Additional members of an aggregate: in look-ups and with `include=transactions` its embedded transactions. */
const embeddedIn = (embedded: z.ZodType) => ({
  transactions: z.array(embedded).describe("The embedded transactions: omitted in searches by default.").optional(),
});

const aggregateShape = {
  ...topLevelShape,
  type: typeIn(TRANSACTION_LAYOUTS.aggregate_complete.type, TRANSACTION_LAYOUTS.aggregate_bonded.type),
  ...makeShape(describedFields(TRANSACTION_LAYOUTS.aggregate_complete)),
};

const AggregateTransactionDTO = z
  .object({ ...aggregateShape, ...embeddedIn(EmbeddedTransactionInfoDTO) })
  .meta({ id: "AggregateTransactionDTO", description: "Complete (16705) or bonded (16961) aggregate." });

const topLevelOnly = makeSchemas("", topLevelShape);

type TopLevelFields<Inner> =
  | KnownFields<CommonFields, EmbeddableKind>
  | (KnownFields<CommonFields, AggregateKind> & { readonly transactions?: readonly Inner[] | undefined })
  | (CommonFields & UnknownContent);

/** The fields of a top-level transaction; an unknown type or version has `bin`. */
export type TransactionFields = TopLevelFields<EmbeddedBody>;

const AnyTopLevel = unionSchema<TransactionFields>([AggregateTransactionDTO, ...topLevelOnly, UnknownTransactionDTO]);

const TransactionMetaDTO = z
  .object({
    height,
    hash: Hash256.describe("Hash of the transaction."),
    merkleComponentHash: Hash256.describe("Leaf of the Merkle tree of the block's transactions."),
    index: count.describe("Position in the block, from 0."),
    ...blockShape,
    ...resolvedShape,
  })
  .meta({ id: "TransactionMetaDTO", description: "What is known about it besides its own bytes." });

export const TransactionInfoDTO = z
  .object({
    id: ObjectId,
    meta: TransactionMetaDTO,
    transaction: AnyTopLevel.describe("The transaction as it was signed; its members depend on `type`."),
  })
  .meta({ id: "TransactionInfoDTO", description: "A transaction that is not embedded in another." });

/** An entry of a search, and the result of a look-up by id. */
export const AnyTransactionInfo = z.union([TransactionInfoDTO, EmbeddedTransactionInfoDTO]);

/** The REST body of a transaction that is not embedded. */
export type TransactionBody = BodyOf<typeof TransactionInfoDTO>;
/** The REST body of either. */
export type AnyTransactionBody = TransactionBody | EmbeddedBody;

/** What a transaction that is in no block waits for: a block, or cosignatures. */
export type PendingGroup = "unconfirmed" | "partial";

/** The fields of a transaction in a message, in which an aggregate has its embedded transactions without their places. */
export type MessageFields = TopLevelFields<{ readonly transaction: EmbeddedFields }>;

const messageMeta = <Shape extends z.ZodRawShape>(others: Shape) =>
  z
    .object({ hash: Hash256.describe("Hash of the transaction."), ...others })
    .describe("What is known about it besides its own bytes.");

export const TransactionMessage = z
  .object({
    transaction: unionSchema<MessageFields>([
      z.object({ ...aggregateShape, ...embeddedIn(z.object({ transaction: anyEmbedded })) }),
      ...topLevelOnly,
      UnknownTransactionDTO,
    ]).describe("The transaction as it was signed; its members depend on `type`."),
    meta: messageMeta({
      merkleComponentHash: Hash256.describe("Leaf of the Merkle tree of the block's transactions."),
      height,
    }),
  })
  .meta({
    id: "TransactionMessage",
    description: "Data of the channels `confirmedAdded`, `unconfirmedAdded` and `partialAdded`.",
  });

export type TransactionMessageBody = BodyOf<typeof TransactionMessage>;

export const RemovedMessage = z.object({ meta: messageMeta({}) }).meta({
  id: "RemovedMessage",
  description: "Data of the channels `unconfirmedRemoved` and `partialRemoved`.",
});

export type RemovedMessageBody = BodyOf<typeof RemovedMessage>;

/** The data of a `cosignature` message. */
export type CosignatureMessageBody = Readonly<z.infer<typeof COSIGNATURE.schema>> & { readonly parentHash: string };

export const CosignatureMessage = z
  .object({ ...makeShape(COSIGNATURE.described), parentHash: Hash256.describe("Hash of the aggregate.") })
  .meta({
    id: "CosignatureMessage",
    description: "Data of the channel `cosignature`.",
  }) as z.ZodType as z.ZodType<CosignatureMessageBody>;

export const StatusMessage = z
  .object({ hash: Hash256, code: z.string().describe("Why the node rejected the transaction."), deadline: Timestamp })
  .meta({ id: "StatusMessage", description: "Data of the channel `status`." });

export type StatusMessageBody = BodyOf<typeof StatusMessage>;
