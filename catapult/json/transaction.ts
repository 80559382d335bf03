import { VERIFIABLE } from "../entity/entity-layout.js";
import { hex } from "../entity/hex.js";
import { cosignaturesStart, merkleComponentCharacters } from "../entity/merkle-component.js";
import type { BlockTransaction } from "../entity/model.js";
import { acceptedEmbeddedEntity } from "../entity/transaction.js";
import type {
  AnyTransactionBody,
  CosignatureMessageBody,
  EmbeddedBody,
  PendingGroup,
  RemovedMessageBody,
  StatusMessageBody,
  TransactionBody,
  TransactionMessageBody,
} from "../structs/transaction.js";
import { isAggregateType } from "../structs/type-names.js";
import { chosen, type Member, object, rendered, type Write } from "../values/body-writer.js";
import type { EntityPosition } from "./entity-id.js";
import { decimalText } from "./format.js";
import { embeddedFields, storedFields, writeMessageFields } from "./transaction-fields.js";

/** What the REST body of a transaction is written from. */
export interface TransactionSource {
  /** Its place in the chain; of a pending one, the parts of its id. */
  readonly position: EntityPosition;
  /** Of an embedded transaction, that of its aggregate. */
  readonly hash: Buffer;
  /** The timestamp of its block, as the fee multiplier; 0 if it is pending. */
  readonly timestamp: number;
  readonly feeMultiplier: number;
  /** Of an aggregate perhaps without its embedded transactions. */
  readonly entity: Buffer;
  /** Undefined if it is in a block. */
  readonly group: PendingGroup | undefined;
}

/** Whether it is a top-level aggregate. */
export function isAggregate({ position, entity }: TransactionSource): boolean {
  return position.embeddedIndex === 0 && isAggregateType(entity.readUInt16LE(VERIFIABLE.type));
}

/** The value for partial transactions, as in the reference: their final cosigners are unknown. */
export const NO_MERKLE_COMPONENT_HASH = Buffer.alloc(32);

const height: Write<TransactionSource, string> = (writer, { position, group }) =>
  writer.decimal(group ? 0 : position.height);
const hash: Write<TransactionSource, string> = (writer, source) => writer.hex(source.hash);
/** The id of a transaction, or of the aggregate that contains it. */
const topId: Write<TransactionSource, string> = (writer, { position }) =>
  writer.entityId(position.height, position.index, 0);
const isInBlock = ({ group }: TransactionSource) => group === undefined;
const blockMembers: {
  readonly timestamp: Member<TransactionSource, string>;
  readonly feeMultiplier: Member<TransactionSource, number>;
} = {
  timestamp: { isPresent: isInBlock, write: (writer, { timestamp }) => writer.decimal(timestamp) },
  feeMultiplier: { isPresent: isInBlock, write: (writer, { feeMultiplier }) => writer.number(feeMultiplier) },
};

type Meta = Omit<TransactionBody["meta"], "resolved">;
type EmbeddedMeta = Omit<EmbeddedBody["meta"], "resolved">;

const writeTopLevel = object<TransactionSource, TransactionBody>({
  id: topId,
  meta: object<TransactionSource, Meta>({
    height,
    hash,
    merkleComponentHash: (writer, source) => {
      const { entity, hash, group } = source;
      if (group === "partial") return writer.hex(NO_MERKLE_COMPONENT_HASH);
      if (!isAggregate(source)) return writer.hex(hash);
      const start = cosignaturesStart(entity, 0, entity.length);
      if (start === entity.length) return writer.hex(hash);
      return writer.hexOfCharacters(merkleComponentCharacters(hash, 0, entity, start, entity.length));
    },
    index: (writer, { position, group }) => writer.number(group ? 0 : position.index),
    ...blockMembers,
  }),
  transaction: chosen(({ entity }) => entity, storedFields),
});

const writeEmbedded = object<TransactionSource, EmbeddedBody>({
  id: (writer, { position: { height, index, embeddedIndex } }) => writer.entityId(height, index, embeddedIndex),
  meta: object<TransactionSource, EmbeddedMeta>({
    height,
    aggregateHash: hash,
    aggregateId: topId,
    index: (writer, { position }) => writer.number(position.embeddedIndex - 1),
    ...blockMembers,
  }),
  transaction: chosen(
    ({ entity }) => entity,
    (entity) => embeddedFields(acceptedEmbeddedEntity(entity)),
  ),
});

/**
 * Writes the REST body of a transaction, as in searches: aggregates without `transactions` (see `withEmbedded`). A
 * pending one has height and index 0, and neither timestamp nor fee multiplier.
 */
export const writeTransaction: Write<TransactionSource, AnyTransactionBody> = chosen(
  (source) => source,
  ({ position }) =>
    (position.embeddedIndex > 0 ? writeEmbedded : writeTopLevel) as Write<TransactionSource, AnyTransactionBody>,
);

/** What a message shows of a transaction. */
type TransactionParts = Pick<BlockTransaction, "entity" | "hash" | "merkleComponentHash">;

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
 * Adds the bodies of the embedded transactions to their aggregate's body, as in responses by id or hash. Both
 * are as {@link writeTransaction} writes them. Throws `TypeError` for any other text.
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
  const { entity, hash, merkleComponentHash } = transaction;
  return rendered(writeMessage, { entity, hash, merkleComponentHash, height });
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
