import { hex } from "../entity/hex.js";
import type { BlockTransaction, EmbeddedTransaction } from "../entity/model.js";
import type {
  CosignatureMessageBody,
  EmbeddedBody,
  RemovedMessageBody,
  StatusMessageBody,
  TransactionBody,
  TransactionMessageBody,
} from "../nouns/transaction.js";
import { type Member, type Members, object, rendered, type Write } from "../values/body-writer.js";
import { decimalText } from "./format.js";
import { embeddedFields, writeMessageFields, writeTransactionFields } from "./transaction-fields.js";

/** The data of a block in a transaction's body; a `Block` has all of it. Timestamps are in milliseconds. */
export interface BlockContext {
  readonly height: number;
  readonly timestamp: number;
  readonly feeMultiplier: number;
}

/** What a transaction's body shows of it. */
type TransactionParts = Pick<BlockTransaction, "entity" | "hash" | "merkleComponentHash" | "index">;
/** What the body of an embedded transaction shows of it. */
type EmbeddedParts = Pick<EmbeddedTransaction, "entity" | "index">;

/** The place of a transaction. */
interface Placed {
  /** 24 hex digits. */
  readonly id: string;
  /** Undefined for a pending transaction. */
  readonly block: BlockContext | undefined;
}

/** How the members of a top-level transaction's body are written; `transaction` are its fields. */
export type TransactionMembers<Source> = Members<Source, Pick<TransactionBody, "id" | "transaction">> &
  Members<Source, Omit<TransactionBody["meta"], "resolved">>;

/**
 * The writer of the REST body of a top-level transaction (`TransactionInfoDTO`), as in searches: keys in the order
 * id, meta, transaction, and aggregates without `transactions` (see `withEmbedded`).
 */
export function transactionWriter<Source>(of: TransactionMembers<Source>): Write<Source, TransactionBody> {
  const { id, transaction, height, hash, merkleComponentHash, index, timestamp, feeMultiplier } = of;
  const meta = { height, hash, merkleComponentHash, index, timestamp, feeMultiplier };
  return object<Source, TransactionBody>({
    id,
    meta: object<Source, Omit<TransactionBody["meta"], "resolved">>(
      meta as Members<Source, Omit<TransactionBody["meta"], "resolved">>,
    ),
    transaction,
  });
}

/** How the members of an embedded transaction's body are written; `transaction` are its fields. */
export type EmbeddedMembers<Source> = Members<Source, Pick<EmbeddedBody, "id" | "transaction">> &
  Members<Source, Omit<EmbeddedBody["meta"], "resolved">>;

/** The writer of the REST body of an embedded transaction (`EmbeddedTransactionInfoDTO`), as in searches and lists. */
export function embeddedWriter<Source>(of: EmbeddedMembers<Source>): Write<Source, EmbeddedBody> {
  const { id, transaction, height, aggregateHash, aggregateId, index, timestamp, feeMultiplier } = of;
  const meta = { height, aggregateHash, aggregateId, index, timestamp, feeMultiplier };
  return object<Source, EmbeddedBody>({
    id,
    meta: object<Source, Omit<EmbeddedBody["meta"], "resolved">>(
      meta as Members<Source, Omit<EmbeddedBody["meta"], "resolved">>,
    ),
    transaction,
  });
}

const height: Write<Placed, string> = (writer, { block }) => writer.decimal(block?.height ?? 0);
const isInBlock = ({ block }: Placed) => block !== undefined;
const blockMembers: {
  readonly timestamp: Member<Placed, string>;
  readonly feeMultiplier: Member<Placed, number>;
} = {
  timestamp: { isPresent: isInBlock, write: (writer, { block }) => writer.decimal(block!.timestamp) },
  feeMultiplier: { isPresent: isInBlock, write: (writer, { block }) => writer.number(block!.feeMultiplier) },
};

interface TransactionSource extends Placed, TransactionParts {}

const writeTransaction = transactionWriter<TransactionSource>({
  id: (writer, { id }) => writer.digits(id),
  height,
  hash: (writer, { hash }) => writer.hex(hash),
  merkleComponentHash: (writer, { merkleComponentHash }) => writer.hex(merkleComponentHash),
  index: (writer, { block, index }) => writer.number(block ? index : 0),
  ...blockMembers,
  transaction: (writer, { entity }) => writeTransactionFields(writer, entity),
});

interface EmbeddedSource extends Placed, EmbeddedParts {
  readonly aggregateHash: Buffer;
  /** 24 hex digits. */
  readonly aggregateId: string;
}

const writeEmbedded = embeddedWriter<EmbeddedSource>({
  id: (writer, { id }) => writer.digits(id),
  height,
  aggregateHash: (writer, { aggregateHash }) => writer.hex(aggregateHash),
  aggregateId: (writer, { aggregateId }) => writer.digits(aggregateId),
  index: (writer, { index }) => writer.number(index),
  ...blockMembers,
  transaction: (writer, { entity }) => embeddedFields(entity)(writer, entity.bytes, 0),
});

interface MessageSource extends TransactionParts {
  readonly height: number;
}

const writeMessage = object<MessageSource, TransactionMessageBody>({
  transaction: (writer, { entity }) => writeMessageFields(writer, entity),
  meta: object<MessageSource, TransactionMessageBody["meta"]>({
    hash: (writer, { hash }) => writer.hex(hash),
    merkleComponentHash: (writer, { merkleComponentHash }) => writer.hex(merkleComponentHash),
    height: (writer, { height }) => writer.decimal(height),
  }),
});

/**
 * The REST body of a top-level transaction (`TransactionInfoDTO`), as in searches: keys in the order id, meta,
 * transaction, and aggregates without `transactions` (see `withEmbedded`). `id` is 24 hex digits. Without a block the
 * transaction is pending: height and index are 0, timestamp and fee multiplier are omitted.
 */
export function renderTransaction(transaction: TransactionParts, block: BlockContext | undefined, id: string): string {
  const { entity, hash, merkleComponentHash, index } = transaction;
  return rendered(writeTransaction, { entity, hash, merkleComponentHash, index, block, id });
}

/**
 * The REST body of an embedded transaction (`EmbeddedTransactionInfoDTO`), as in searches and lists. `id` is its
 * own, `aggregateId` that of its aggregate (24 hex digits each).
 */
export function renderEmbedded(
  { entity, index }: EmbeddedParts,
  aggregate: Pick<BlockTransaction, "hash">,
  block: BlockContext | undefined,
  id: string,
  aggregateId: string,
): string {
  return rendered(writeEmbedded, { entity, index, aggregateHash: aggregate.hash, aggregateId, block, id });
}

/**
 * Adds the bodies of the embedded transactions to their aggregate's body, as in responses by id or hash. Both
 * are texts of the functions above. Throws `TypeError` for any other text.
 */
export function withEmbedded(body: string, embeddedBodies: readonly string[]): string {
  if (!body.endsWith("}}")) throw new TypeError("the body of an aggregate ends with }}");
  return `${body.slice(0, -2)},"transactions":[${embeddedBodies.join(",")}]}}`;
}

/**
 * The data of `confirmedAdded`, `unconfirmedAdded` and `partialAdded` messages: `{transaction, meta}`, an aggregate
 * with its embedded transactions inside. Height is 0 for a pending transaction. Source:
 * `client/rest/src/connection/serverMessageHandlers.js`, with the fields named as in REST bodies.
 */
export function renderTransactionMessage(transaction: TransactionParts, height: number): string {
  const { entity, hash, merkleComponentHash, index } = transaction;
  return rendered(writeMessage, { entity, hash, merkleComponentHash, index, height });
}

/** The data of `unconfirmedRemoved` and `partialRemoved` messages: `{meta: {hash}}`. */
export function renderRemovedMessage(hash: Buffer): string {
  const message: RemovedMessageBody = { meta: { hash: hex(hash) } };
  return JSON.stringify(message);
}

/** The data of a `cosignature` message: a signature (64 bytes) of a partial aggregate. */
export function renderCosignatureMessage(cosignature: {
  readonly version: bigint;
  readonly signerPublicKey: Buffer;
  readonly signature: Buffer;
  readonly parentHash: Buffer;
}): string {
  const message: CosignatureMessageBody = {
    version: decimalText(cosignature.version),
    signerPublicKey: hex(cosignature.signerPublicKey),
    signature: hex(cosignature.signature),
    parentHash: hex(cosignature.parentHash),
  };
  return JSON.stringify(message);
}

/**
 * The data of a `status` message: why a transaction was rejected; `code` is the name, such as
 * `Failure_Core_Past_Deadline`.
 */
export function renderStatusMessage(status: {
  readonly hash: Buffer;
  readonly code: string;
  readonly deadline: bigint | number;
}): string {
  const message: StatusMessageBody = {
    hash: hex(status.hash),
    code: status.code,
    deadline: decimalText(status.deadline),
  };
  return JSON.stringify(message);
}
