import { AGGREGATE, EMBEDDED, TRANSACTION, VERIFIABLE } from "../entity/entity-layout.js";
import { cosignaturesStart } from "../entity/merkle-component.js";
import { acceptedEmbeddedEntity, acceptedEntity, embeddedRanges } from "../entity/transaction.js";
import {
  type BodyReader,
  EMBEDDED_READERS,
  type EmbeddedEntity,
  TRANSACTION_READERS,
  type TransactionEntity,
} from "../entity/transaction-entity.js";
import { EMBEDDED_HEADER, TRANSACTION_HEADER } from "../structs/header.js";
import type { EmbeddedFields, MessageFields, TransactionFields, UnknownContent } from "../structs/transaction.js";
import { TRANSACTION_LAYOUTS } from "../structs/transaction-types.js";
import type { TransactionKind } from "../structs/type-names.js";
import { isAggregateType } from "../structs/type-names.js";
import { type Members, object, type Write, writeList } from "../values/body-writer.js";
import type { JsonWriter, Written } from "../values/json-writer.js";
import { type JsonOf, makeMembers } from "../values/struct.js";

type Kind = TransactionKind | "unknown";
const COMMON = makeMembers(TRANSACTION_HEADER);
const COMMON_EMBEDDED = makeMembers(EMBEDDED_HEADER);

/** The members that only a kind of transactions has. */
function makeContentMembers({ layout, positions }: BodyReader): Partial<Members<Buffer, unknown>> {
  return makeMembers(layout, positions);
}

/** Unknown content is `bin`, as in catapult's `mappers/TransactionMapper`. */
function unknownContent(headerSize: number): Members<Buffer, UnknownContent> {
  return { bin: (writer, bytes) => writer.hex(bytes, headerSize) };
}

function makeFieldWriter<Fields>(
  common: Members<Buffer, JsonOf<typeof EMBEDDED_HEADER>>,
  content: Partial<Members<Buffer, unknown>>,
): Write<Buffer, Fields> {
  // Which content belongs to which type is known to the table of contents only.
  return object({ ...common, ...content }) as Write<Buffer, Fields>;
}

function fieldsByKind<Fields>(
  common: Members<Buffer, JsonOf<typeof EMBEDDED_HEADER>>,
  readers: ReadonlyMap<number, BodyReader>,
  headerSize: number,
): ReadonlyMap<Kind, Write<Buffer, Fields>> {
  const known = [...readers.values()].map(
    (reader) => [reader.kind, makeFieldWriter<Fields>(common, makeContentMembers(reader))] as const,
  );
  return new Map<Kind, Write<Buffer, Fields>>([
    ...known,
    ["unknown", makeFieldWriter(common, unknownContent(headerSize))],
  ]);
}

const FIELDS = fieldsByKind<TransactionFields>(COMMON, TRANSACTION_READERS, TRANSACTION.headerSize);
const EMBEDDED_FIELDS = fieldsByKind<EmbeddedFields>(COMMON_EMBEDDED, EMBEDDED_READERS, EMBEDDED.headerSize);

const AGGREGATE_READERS = [...TRANSACTION_READERS.values()].filter(({ layout }) => isAggregateType(layout.type));

type AggregateMessageFields = Extract<MessageFields, { readonly cosignatures: unknown }>;
type InnerFields = NonNullable<AggregateMessageFields["transactions"]>[number];

const writeInner = object<Buffer, InnerFields>({
  transaction: (writer, bytes) => embeddedFields(acceptedEmbeddedEntity(bytes))(writer, bytes, 0),
});

const transactions: Members<Buffer, Required<Pick<AggregateMessageFields, "transactions">>> = {
  transactions: (writer, bytes) =>
    writeList(
      writer,
      writeInner,
      embeddedRanges(bytes).map(({ start, end }) => bytes.subarray(start, end)),
    ),
};

const MESSAGE_FIELDS = new Map<Kind, Write<Buffer, MessageFields>>([
  ...(FIELDS as ReadonlyMap<Kind, Write<Buffer, MessageFields>>),
  ...AGGREGATE_READERS.map(
    (reader) =>
      [
        reader.kind,
        makeFieldWriter<MessageFields>(COMMON, { ...makeContentMembers(reader), ...transactions }),
      ] as const,
  ),
]);

const writeCosignatures = TRANSACTION_LAYOUTS.aggregate_complete.fields.cosignatures.json(
  (bytes) => cosignaturesStart(bytes, 0, bytes.length),
  (bytes) => bytes.length,
);

const STORED_FIELDS = new Map(
  [...TRANSACTION_READERS].map(([type, reader]) => {
    const isAggregate = isAggregateType(type);
    const isValidAt = isAggregate ? hasHeader : reader.isValidAt;
    const write = isAggregate
      ? makeFieldWriter<TransactionFields>(COMMON, {
          ...makeContentMembers(reader),
          cosignatures: writeCosignatures,
        })
      : FIELDS.get(reader.kind)!;
    return [type, { versions: reader.layout.versions, isValidAt, write }];
  }),
);

/**
 * How the fields of an accepted transaction are written, chosen without a view of it: creating one takes as long as
 * writing some members. An aggregate may lack its embedded transactions.
 */
export function storedFields(bytes: Buffer): Write<Buffer, TransactionFields> {
  const of = STORED_FIELDS.get(bytes.readUInt16LE(VERIFIABLE.type));
  if (of?.versions.includes(bytes[VERIFIABLE.version]!) && of.isValidAt(bytes, 0, bytes.length)) return of.write;
  return FIELDS.get(acceptedEntity(bytes).kind)!;
}

/** Whether an aggregate is complete but for what follows its header. */
function hasHeader(_: Buffer, start: number, end: number): boolean {
  return end - start >= AGGREGATE.headerSize;
}

/** The same for a message, in which an aggregate has its embedded transactions. */
export function writeMessageFields(writer: JsonWriter, { kind, bytes }: TransactionEntity): Written<MessageFields> {
  return MESSAGE_FIELDS.get(kind)!(writer, bytes, 0);
}

/** How the members of an embedded transaction are written. */
export function embeddedFields({ kind }: EmbeddedEntity): Write<Buffer, EmbeddedFields> {
  return EMBEDDED_FIELDS.get(kind)!;
}
