import { type AnyWrite, JsonTemplate, type Part } from "./json-template.js";
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

const LIST_START = literal("[");
const NEXT = literal(",");
const LIST_END = literal("]");

type AnyMember<Source> = Write<Source, unknown> | OptionalWrite<Source, unknown>;

/** The parts of writers: an object around them writes them itself. */
const partsOf = new WeakMap<AnyWrite, readonly Part[]>();

function writerOf<Source, Value>(parts: readonly Part[]): Write<Source, Value> {
  const template = new JsonTemplate(parts);
  const write: Write<Source, Value> = (writer, source, at) => writer.template(template, source, at);
  partsOf.set(write, parts);
  return write;
}

function memberParts<Source>(name: string, member: AnyMember<Source>, isFirst: boolean): readonly Part[] {
  const text = `${isFirst ? "{" : ","}"${name}":`;
  if (typeof member === "function")
    return [{ op: "literal", text }, ...(partsOf.get(member) ?? [{ op: "call", write: member }])];
  const { isPresent, write } = member;
  if (isPresent === isAlways) return memberParts(name, write, isFirst);
  const before = literal(text);
  const writeIfPresent: Write<Source, unknown> = (writer, source, at) => {
    if (!isPresent(source, at)) return undefined as never;
    writer.literal(before);
    return write(writer, source, at);
  };
  return [{ op: "call", write: writeIfPresent }];
}

const isAlways = () => true;

/** An optional member that all bodies from this source have. */
export function always<Source, Value>(write: Write<Source, Value>): OptionalWrite<Source, Value> {
  return { isPresent: isAlways, write };
}

/** An object of a body with these members, of which the first one is always present. */
export function object<Source, Body>(members: Members<Source, Body>): Write<Source, Body> {
  const parts = Object.entries<AnyMember<Source>>(members).flatMap(([name, member], index) =>
    memberParts(name, member, index === 0),
  );
  return writerOf([...parts, { op: "literal", text: "}" }]);
}

/** A list of what is at offsets of bytes, from `start` to `end` (exclusive); `sizeAt` is the size of one item. */
export function writeItems<Value>(
  writer: JsonWriter,
  write: Write<Buffer, Value>,
  bytes: Buffer,
  start: number,
  end: number,
  sizeAt: (bytes: Buffer, offset: number) => number,
): Written<readonly Value[]> {
  writer.literal(LIST_START);
  for (let offset = start; offset < end; offset += sizeAt(bytes, offset)) {
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
  return writerOf([{ op: "hex", start, end }]);
}

/** 8 bytes at `start` as an id. */
export function idOf(start: number): Write<Buffer, string> {
  return writerOf([{ op: "id", start }]);
}

/** 8 bytes at `start` as decimal digits. */
export function uint64Of(start: number): Write<Buffer, string> {
  return writerOf([{ op: "uint64", start }]);
}

/** A byte at `start`. */
export function uint8Of(start: number): Write<Buffer, number> {
  return writerOf([{ op: "uint8", start }]);
}

/** 2 bytes at `start` as a number. */
export function uint16Of(start: number): Write<Buffer, number> {
  return writerOf([{ op: "uint16", start }]);
}

/** 4 bytes at `start` as a number. */
export function uint32Of(start: number): Write<Buffer, number> {
  return writerOf([{ op: "uint32", start }]);
}

const shared = new JsonWriter();

/** The text of a body. */
export function rendered<Source>(write: Write<Source, unknown>, source: Source, at = 0): string {
  shared.clear();
  write(shared, source, at);
  return shared.text();
}
