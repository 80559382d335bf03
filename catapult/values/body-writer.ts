import { JsonWriter, literal, type Written } from "./json-writer.js";

/**
 * Writes a value of a body. `at` is its offset in the source, if that is bytes with several such values.
 */
export interface Write<Source, Value> {
  (writer: JsonWriter, source: Source, at: number): Written<Value>;
  /** Of an object: the same value, whose members are read from the source when they are accessed. */
  readonly view?: (source: Source, at: number) => Value;
}

/** A member of a body, if it is more than a function that writes it. */
export interface Member<Source, Value> {
  readonly write: Write<Source, Value>;
  /** Where it is in the bytes of the object; 0 by default. */
  readonly offset?: number;
  /** Whether a body has it; all have by default. */
  readonly isPresent?: ((source: Source, at: number) => boolean) | undefined;
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
  readonly [Name in keyof Body]-?:
    | Write<Source, Widened<NonNullable<Body[Name]>>>
    | Member<Source, Widened<NonNullable<Body[Name]>>>;
};

const LIST_START = literal("[");
const NEXT = literal(",");
const LIST_END = literal("]");
const OBJECT_END = literal("}");
const EMPTY_OBJECT = literal("{}");

type AnyMember<Source> = Write<Source, unknown> | Member<Source, unknown>;

/** A member in its full form. */
function makeStep<Source>(member: AnyMember<Source>) {
  const {
    write,
    offset = 0,
    isPresent,
  }: Member<Source, unknown> = typeof member === "function" ? { write: member } : member;
  return { write, offset, isPresent };
}

type Step<Source> = ReturnType<typeof makeStep<Source>>;

/** An object of a body with these members. */
export function object<Source, Body>(members: Members<Source, Body>): Write<Source, Body> {
  const steps = Object.entries<AnyMember<Source>>(members).map(([name, member]) => ({
    first: literal(`{"${name}":`),
    next: literal(`,"${name}":`),
    ...makeStep(member),
  }));
  const writeAll: Write<Source, Body> = (writer, source, at) => {
    let isFirst = true;
    for (const { first, next, write, offset, isPresent } of steps) {
      if (isPresent && !isPresent(source, at)) continue;
      writer.literal(isFirst ? first : next);
      write(writer, source, at + offset);
      isFirst = false;
    }
    return writer.literal(isFirst ? EMPTY_OBJECT : OBJECT_END);
  };
  return Object.assign(writeAll, { view: makeView<Source, Body>(members) });
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
function makeView<Source, Body>(members: Members<Source, Body>): (source: Source, at: number) => Body {
  class View {
    readonly #source: Source;
    readonly #at: number;
    /** By member: each field of an object inside begins with reading it. */
    readonly #objects: unknown[] = [];

    constructor(source: Source, at: number) {
      this.#source = source;
      this.#at = at;
    }

    static read(view: View, { write, offset, isPresent }: Step<Source>, position: number): unknown {
      if (isPresent && !isPresent(view.#source, view.#at)) return undefined;
      if (!write.view) return readValue(write, view.#source, view.#at + offset);
      view.#objects[position] ??= write.view(view.#source, view.#at + offset);
      return view.#objects[position];
    }
  }
  for (const [position, [name, member]] of Object.entries<AnyMember<Source>>(members).entries()) {
    const step = makeStep(member);
    Object.defineProperty(View.prototype, name, {
      get(this: View) {
        return View.read(this, step, position);
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
