import { z } from "zod";
import { hex } from "../entity/hex.js";
import { decimalText, idText } from "../json/format.js";
import { ByteWriter } from "../values/byte-writer.js";
import * as form from "../values/forms.js";
import { type ShownMember, shapeOfMembers } from "../values/noun.js";
import { ObjectId, StateVersion } from "../values/scalars.js";
import type { StateKind } from "./kind.js";
import { STATE_VERSION, StateReader } from "./state-reader.js";

/*
 * What a state value consists of is declared once: its parts in the order of the bytes, and the members of its REST body,
 * each with its form and its meaning. Types, the bytes, body, schema and GraphQL fields follow from that.
 */

type Values = Readonly<Record<string, unknown>>;

/** A part of a state value. It may depend on the parts before it. */
export interface Part<Value> {
  read(reader: StateReader, path: string, before: Values): Value;
  write(writer: ByteWriter, value: Value, values: Values): void;
}

/** A part that bodies and GraphQL show. */
export interface ShownPart<Value, Json> extends Part<Value>, form.Shown<Json> {
  json(value: Value): Json;
}

type Parts = Readonly<Record<string, Part<unknown>>>;
type ShownParts = Readonly<Record<string, ShownPart<unknown, unknown>>>;

/** The values of parts. */
export type ValuesOf<P extends Parts> = {
  readonly [Name in keyof P]: P[Name] extends Part<infer Value> ? Value : never;
};
type JsonOf<P> = { readonly [Name in keyof P]: P[Name] extends form.Shown<infer Json> ? Json : never };

const same = <Value>(value: Value) => value;

/** A form as a part. */
export function partOf<Value extends number | bigint | Buffer, Json>(
  of: form.Form<Value, Json>,
  json: (value: Value) => Json,
): ShownPart<Value, Json> {
  const { schema, scalar, size } = of;
  return {
    ...{ schema, scalar, json },
    read: (reader, path) => reader.field(of, path),
    write: (writer, value) => writer.value(value, size),
  };
}

export const address = partOf(form.address, hex);
export const hash = partOf(form.hash, hex);
export const publicKey = partOf(form.publicKey, hex);
export const mosaicId = partOf(form.mosaicId, idText);
export const amount = partOf(form.amount, decimalText);
export const decimal = partOf(form.decimal, decimalText);
export const uint32 = partOf(form.uint32Number, same<number>);
export const number = (of: form.Form<number, number>) => partOf(of, same);

/** A 64-bit height that is exact as a `number`. */
export function height(schema: z.ZodType<string>): ShownPart<number, string> {
  return {
    ...{ schema, scalar: "SafeInt", json: decimalText },
    read: (reader, path) => reader.safeUint64(path),
    write: (writer, value) => writer.uint64(value),
  };
}

/** A byte with the values from 0 to `most`. */
export function choice(most: number, schema: z.ZodType<number>): ShownPart<number, number> {
  return {
    ...{ schema, scalar: "Int", json: same },
    read: (reader, path) => reader.enumeration(most, path),
    write: (writer, value) => writer.uint8(value),
  };
}

/** How many items a list has. */
interface Count {
  read(reader: StateReader, path: string, before: Values): number | bigint;
  write(writer: ByteWriter, count: number): void;
}

export const count8: Count = {
  read: (reader, path) => reader.uint8(path),
  write: (writer, count) => writer.uint8(count),
};
export const count16: Count = {
  read: (reader, path) => reader.uint16(path),
  write: (writer, count) => writer.uint16(count),
};
export const count64: Count = {
  read: (reader, path) => reader.uint64(path),
  write: (writer, count) => writer.uint64(count),
};

/** A count that the bytes do not contain. */
export function knownCount(count: (before: Values) => number): Count {
  return { read: (_reader, _path, before) => count(before), write: () => undefined };
}

/** As many items as `count` says, each of at least `size` bytes. */
export function list<Value, Json>(item: ShownPart<Value, Json>, size: number, count: Count) {
  const part: ShownPart<readonly Value[], readonly Json[]> = {
    schema: z.array(item.schema),
    scalar: typeof item.scalar === "string" ? [item.scalar] : undefined,
    json: (values) => values.map((one) => item.json(one)),
    read: (reader, path, before) =>
      reader.list(count.read(reader, `${path}Count`, before), size, path, (one) => item.read(reader, one, before)),
    write: (writer, items, values) => {
      count.write(writer, items.length);
      for (const one of items) item.write(writer, one, values);
    },
  };
  return part;
}

/** An object inside, all of whose parts are shown. */
export function record<P extends ShownParts>(meta: { readonly id: string; readonly description?: string }, parts: P) {
  const named = Object.entries(parts);
  const shown = shownOf(parts);
  const part: ShownPart<ValuesOf<P>, JsonOf<P>> = {
    schema: z.object(shapeOfMembers(shown)).meta(meta) as unknown as z.ZodType<JsonOf<P>>,
    scalar: undefined,
    json: (value) => Object.fromEntries(named.map(([name, one]) => [name, one.json(value[name])])) as JsonOf<P>,
    read: (reader, path) => readParts(reader, parts, `${path}.`),
    write: (writer, value) => writeParts(writer, named, value),
  };
  return { ...part, shown };
}

function readParts<P extends Parts>(reader: StateReader, parts: P, path: string): ValuesOf<P> {
  const values: Record<string, unknown> = {};
  for (const name in parts) values[name] = parts[name]!.read(reader, path + name, values);
  return values as ValuesOf<P>;
}

function writeParts(writer: ByteWriter, parts: readonly [string, Part<unknown>][], values: Values): void {
  for (const [name, part] of parts) part.write(writer, values[name], values);
}

/** How the state values of a kind are read and written. */
export interface Codec<State> {
  /** @throws EntityError naming the field when the bytes are invalid */
  decode(value: Buffer): State;
  encode(state: State): Buffer;
}

/** Values are encoded often: they share the same memory. */
const stateWriter = new ByteWriter(512);

/** The codec of a kind whose values consist of their version and these parts. */
export function codecOf<P extends Parts>(kind: StateKind, parts: P): Codec<ValuesOf<P>> {
  const named = Object.entries(parts);
  return {
    decode: (value) => {
      const reader = new StateReader(value, kind);
      reader.version();
      const state = readParts(reader, parts, "");
      reader.end();
      return state;
    },
    encode: (state) => {
      const writer = stateWriter.restart().uint16(STATE_VERSION);
      writeParts(writer, named, state);
      return writer.toBuffer();
    },
  };
}

/** A member of a REST body. */
export interface Member<Source, Json> extends form.Shown<Json> {
  from(source: Source): Json;
  /** Whether bodies lack it where it is undefined. */
  readonly isOptional?: boolean;
}

type ShownIn<P extends Parts> = {
  readonly [Name in keyof P as P[Name] extends form.Shown<unknown> ? Name : never]: P[Name] extends ShownPart<
    infer _,
    infer Json
  >
    ? Member<ValuesOf<P>, Json>
    : never;
};

/** The members that show the parts of a value. */
export function membersOf<P extends Parts>(parts: P): ShownIn<P> {
  const shown = Object.entries(parts as unknown as ShownParts).filter(([, part]) => "json" in part);
  const members = shown.map(([name, part]) => [name, { ...part, from: (state: Values) => part.json(state[name]) }]);
  return Object.fromEntries(members) as ShownIn<P>;
}

/** Members as schemas and GraphQL need them. @throws RangeError when one is declared without its meaning */
export function shownOf(
  members: Readonly<Record<string, form.Shown<unknown> & { isOptional?: boolean }>>,
): ShownMember[] {
  return Object.entries(members).map(([name, { schema, scalar, meaning, isOptional = false }]) => {
    if (!meaning) throw new RangeError(`the member ${name} is declared without its meaning`);
    return { name, schema: schema.describe(meaning), scalar, meaning, isOptional };
  });
}

/** The ids of the schemas of a REST body and of the state in it, the member with the state, and members beside it. */
interface BodyMeta<Name extends string> {
  readonly id: string;
  readonly description: string;
  readonly member: Name;
  readonly stateId: string;
  readonly beside: Readonly<Record<string, z.ZodType>>;
}

/** The type of a body. */
export type BodyIn<Noun> = Noun extends { readonly schema: z.ZodType<infer Body> } ? Body : never;

/** What is beside the state in most bodies. */
export const WITH_ID = { id: ObjectId };

/** The REST body that consists of these members of a source. */
export function bodyOf<Source, Name extends string, M extends Readonly<Record<string, Member<Source, unknown>>>>(
  { id, description, member, stateId, beside }: BodyMeta<Name>,
  members: M & Readonly<Record<string, Member<Source, unknown>>>,
) {
  type Body = { readonly id: string } & { readonly [_ in Name]: { readonly version: number } & JsonOf<M> };
  const shown = shownOf(members);
  const state = z.object({ version: StateVersion, ...shapeOfMembers(shown) }).meta({ id: stateId });
  const schema = z.object({ ...beside, [member]: state.describe(description) }).meta({ id, description });
  const named = Object.entries(members);
  return {
    schema: schema as unknown as z.ZodType<Body>,
    shown,
    /** The text of the body, with the values of what is beside the state. */
    render: (source: Source, values: object = {}): string => {
      const fields = Object.fromEntries(named.map(([name, one]) => [name, one.from(source)]));
      return JSON.stringify({ ...values, [member]: { version: STATE_VERSION, ...fields } });
    },
  };
}
