import { JsonWriter, literal, type Written } from "./json-writer.js";

/**
 * Writes a value of a body. `at` is its offset in the source, if that is bytes with several such values.
 */
export type Write<Source, Value> = (writer: JsonWriter, source: Source, at: number) => Written<Value>;

/** Writes a member that not every body has. */
export interface OptionalWrite<Source, Value> {
  readonly isPresent: (source: Source, at: number) => boolean;
  readonly write: Write<Source, Value>;
}

/** The type that a value is written as: literals as their base types. */
type Widened<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends readonly (infer Item)[]
      ? readonly Widened<Item>[]
      : Value;

/** How each member of a body is written, in their order. A missing or superfluous member is a type error. */
export type Members<Source, Body> = {
  readonly [Name in keyof Body]-?: object extends Pick<Body, Name>
    ? OptionalWrite<Source, Widened<NonNullable<Body[Name]>>>
    : Write<Source, Widened<Body[Name]>>;
};

const OBJECT_END = literal("}");
const LIST_START = literal("[");
const NEXT = literal(",");
const LIST_END = literal("]");

type AnyMember<Source> = Write<Source, unknown> | OptionalWrite<Source, unknown>;
type Step<Source> = (writer: JsonWriter, source: Source, at: number) => void;

function stepOf<Source>(name: string, member: AnyMember<Source>, isFirst: boolean): Step<Source> {
  const before = literal(`${isFirst ? "{" : ","}"${name}":`);
  if (typeof member === "function")
    return (writer, source, at) => {
      writer.literal(before);
      member(writer, source, at);
    };
  const { isPresent, write } = member;
  return (writer, source, at) => {
    if (!isPresent(source, at)) return;
    writer.literal(before);
    write(writer, source, at);
  };
}

/** An object of a body with these members, of which the first one is always present. */
export function object<Source, Body>(members: Members<Source, Body>): Write<Source, Body> {
  const steps = Object.entries<AnyMember<Source>>(members).map(([name, member], index) =>
    stepOf(name, member, index === 0),
  );
  return (writer, source, at) => {
    for (const step of steps) step(writer, source, at);
    return writer.literal(OBJECT_END);
  };
}

/** A list of what is at offsets of bytes, from `start` to `end` (exclusive); `sizeAt` is the size of one item. */
export function writeItems<Value>(
  writer: JsonWriter,
  write: Write<Buffer, Value>,
  bytes: Buffer,
  { start, end, sizeAt }: { start: number; end: number; sizeAt: (offset: number) => number },
): Written<readonly Value[]> {
  writer.literal(LIST_START);
  for (let offset = start; offset < end; offset += sizeAt(offset)) {
    if (offset > start) writer.literal(NEXT);
    write(writer, bytes, offset);
  }
  return writer.literal(LIST_END);
}

/** A list of values. */
export function writeList<Source, Value>(
  writer: JsonWriter,
  write: Write<Source, Value>,
  sources: readonly Source[],
): Written<readonly Value[]> {
  writer.literal(LIST_START);
  for (const [index, source] of sources.entries()) {
    if (index > 0) writer.literal(NEXT);
    write(writer, source, 0);
  }
  return writer.literal(LIST_END);
}

/** Bytes `start` to `end` (exclusive) of the source as hex digits. */
export function hexOf(start: number, end: number): Write<Buffer, string> {
  return (writer, bytes, at) => writer.hex(bytes, at + start, at + end);
}

/** 8 bytes at `offset` as an id. */
export function idOf(offset: number): Write<Buffer, string> {
  return (writer, bytes, at) => writer.id(bytes, at + offset);
}

/** 8 bytes at `offset` as decimal digits. */
export function uint64Of(offset: number): Write<Buffer, string> {
  return (writer, bytes, at) => writer.uint64(bytes, at + offset);
}

/** A byte at `offset`. */
export function uint8Of(offset: number): Write<Buffer, number> {
  return (writer, bytes, at) => writer.number(bytes[at + offset]!);
}

/** 2 bytes at `offset` as a number. */
export function uint16Of(offset: number): Write<Buffer, number> {
  return (writer, bytes, at) => writer.number(bytes.readUInt16LE(at + offset));
}

/** 4 bytes at `offset` as a number. */
export function uint32Of(offset: number): Write<Buffer, number> {
  return (writer, bytes, at) => writer.number(bytes.readUInt32LE(at + offset));
}

const shared = new JsonWriter();

/** The text of a body. */
export function rendered<Source>(write: Write<Source, unknown>, source: Source): string {
  shared.clear();
  write(shared, source, 0);
  return shared.text();
}
