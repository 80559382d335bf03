import { JsonWriter, literal, type Written } from "./json-writer.js";

/**
 * Writes a value of a body. `at` is its offset in the source, if that is bytes with several such values.
 */
export interface Write<Source, Value> {
  (writer: JsonWriter, source: Source, at: number): Written<Value>;
  /** Of an object: the same value, whose members are read from the source when they are accessed. */
  readonly view?: (source: Source, at: number) => Value;
}

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
const OBJECT_END = literal("}");

const isAlways = () => true;

/** An optional member that all bodies from this source have. */
export function always<Source, Value>(write: Write<Source, Value>): OptionalWrite<Source, Value> {
  return { isPresent: isAlways, write };
}

type AnyMember<Source> = Write<Source, unknown> | OptionalWrite<Source, unknown>;

/** An object of a body with these members, of which the first one is always present. */
export function object<Source, Body>(members: Members<Source, Body>): Write<Source, Body> {
  const steps = Object.entries<AnyMember<Source>>(members).map(([name, member], index) => ({
    start: literal(`${index === 0 ? "{" : ","}"${name}":`),
    ...(typeof member === "function" ? always(member) : member),
  }));
  const writeAll: Write<Source, Body> = (writer, source, at) => {
    for (const { start, isPresent, write } of steps) {
      if (!isPresent(source, at)) continue;
      writer.literal(start);
      write(writer, source, at);
    }
    return writer.literal(OBJECT_END);
  };
  return Object.assign(writeAll, { view: viewOf<Source, Body>(members) });
}

/** An object of a body whose members depend on its own source, which is found in that of the body. */
export function chosen<Source, Own, Value>(
  own: (source: Source) => Own,
  choose: (source: Own) => Write<Own, Value>,
): Write<Source, Value> {
  const write: Write<Source, Value> = (writer, source) => {
    const part = own(source);
    return choose(part)(writer, part, 0);
  };
  const view = (source: Source) => {
    const part = own(source);
    return readValue(choose(part), part);
  };
  return Object.assign(write, { view });
}

/** Creates objects that have these members as getters. */
function viewOf<Source, Body>(members: Members<Source, Body>): (source: Source, at: number) => Body {
  class View {
    readonly #source: Source;
    readonly #at: number;
    /** By member: each field of an object inside begins with reading it. */
    readonly #objects: unknown[] = [];

    constructor(source: Source, at: number) {
      this.#source = source;
      this.#at = at;
    }

    static read(view: View, { isPresent, write }: OptionalWrite<Source, unknown>, place: number): unknown {
      if (!write.view) return isPresent(view.#source, view.#at) ? readValue(write, view.#source, view.#at) : undefined;
      view.#objects[place] ??= isPresent(view.#source, view.#at) ? write.view(view.#source, view.#at) : undefined;
      return view.#objects[place];
    }
  }
  for (const [place, [name, member]] of Object.entries<AnyMember<Source>>(members).entries()) {
    const step = typeof member === "function" ? always(member) : member;
    Object.defineProperty(View.prototype, name, {
      get(this: View) {
        return View.read(this, step, place);
      },
    });
  }
  return (source, at) => new View(source, at) as Body;
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
  return (writer, source, at) => writer.hex(source, at + start, at + end);
}

/** 8 bytes at `start` as an id. */
export function idOf(start: number): Write<Buffer, string> {
  return (writer, source, at) => writer.id(source, at + start);
}

/** 8 bytes at `start` as decimal digits. */
export function uint64Of(start: number): Write<Buffer, string> {
  return (writer, source, at) => writer.uint64(source, at + start);
}

/** A byte at `start`. */
export function uint8Of(start: number): Write<Buffer, number> {
  return (writer, source, at) => writer.number(source.readUInt8(at + start));
}

/** 2 bytes at `start` as a number. */
export function uint16Of(start: number): Write<Buffer, number> {
  return (writer, source, at) => writer.number(source.readUInt16LE(at + start));
}

/** 4 bytes at `start` as a number. */
export function uint32Of(start: number): Write<Buffer, number> {
  return (writer, source, at) => writer.number(source.readUInt32LE(at + start));
}

const shared = new JsonWriter();

/** A value of a body, without the text of an object around it. */
export function readValue<Source, Value>(write: Write<Source, Value>, source: Source, at = 0): Value {
  if (write.view) return write.view(source, at);
  const text = rendered(write, source, at);
  // Most values are digits in quotes.
  const isPlain = text.startsWith('"') && !text.includes("\\");
  return (isPlain ? text.slice(1, -1) : JSON.parse(text)) as Value;
}

/** The text of a body. */
export function rendered<Source>(write: Write<Source, unknown>, source: Source, at = 0): string {
  shared.clear();
  write(shared, source, at);
  return shared.text();
}
