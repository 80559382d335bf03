import { z } from "zod";
import type { Members, Write } from "../values/body-writer.js";
import { object } from "../values/body-writer.js";
import { ByteWriter } from "../values/byte-writer.js";
import { field, hash, makeEncoder, type VaryingCodec, type VaryingField } from "../values/codecs.js";
import { ObjectId, StateVersion } from "../values/scalars.js";
import {
  computeLayout,
  describedFields,
  type Fields,
  type JsonOf,
  makeMembers,
  makeShape,
  type StructLayout,
  type ValuesOf,
} from "../values/struct.js";
import type { StateKind } from "./kind.js";
import { STATE_VERSION, StateReader } from "./state-reader.js";

/*
 * State values are read with a cursor, because the place of a field depends on those before it. Their bodies are written
 * from their bytes.
 */

/** How the state values of a kind are read and written. */
export interface StateCodec<State> {
  /** @throws EntityError naming the field when the bytes are invalid */
  decode(value: Buffer): State;
  encode(state: State): Buffer;
}

/** A field that no other kind has: it is read with the cursor too, after the values `before` it. */
interface OwnField<Value> extends VaryingField<Value> {
  decode(reader: StateReader, name: string, before: Readonly<Record<string, unknown>>): Value;
}

/** How such a field is shown. */
export type OwnShown<Json> = Pick<VaryingCodec<unknown, Json>, "schema" | "json">;

/** A field of one kind only; `sizeAt` are its bytes at an offset. */
export function ownField<Value, Shown extends Partial<OwnShown<unknown>> = object>(
  own: Pick<OwnField<Value>, "decode" | "encode" | "sizeAt"> & Shown,
) {
  const read = (bytes: Buffer, start: number, end: number) =>
    own.decode(new StateReader(bytes.subarray(start, end), "value"), "field", {});
  return { ...own, scalar: undefined, read };
}

/** Values are encoded often: they share the same memory. */
const stateWriter = new ByteWriter(512);
const VERSION_SIZE = 2;

/** The codec of a kind whose values consist of their version and these fields. */
export function stateCodec<F extends Fields>(kind: StateKind, fields: F): StateCodec<ValuesOf<F>> {
  const named = Object.entries(fields);
  /** The lists by the names of the fields with their numbers of items. */
  const lists = new Map(named.flatMap(([name, field]) => ("count" in field ? [[field.count, name] as const] : [])));
  const steps = named.map(([name, field]) => ({
    name,
    fixed: "size" in field ? field : undefined,
    varying: "size" in field ? undefined : (field as VaryingField<unknown> & Partial<OwnField<unknown>>),
    encode: "size" in field ? makeEncoder(field) : undefined,
    count: "size" in field ? "" : (field.count ?? ""),
    list: "isCount" in field ? lists.get(name) : undefined,
  }));
  return {
    decode: (value) => {
      const reader = new StateReader(value, kind);
      reader.version();
      const values: Record<string, unknown> = {};
      const counts: Record<string, number | bigint> = {};
      for (const { name, fixed, varying, count, list } of steps) {
        if (list) counts[name] = reader.field(fixed!, name) as number | bigint;
        else if (fixed) values[name] = reader.field(fixed, name);
        else if (varying?.decode) values[name] = varying.decode(reader, name, values);
        else if (varying) values[name] = reader.varying(varying, counts[count] ?? (values[count] as number), name);
      }
      reader.end();
      return values as ValuesOf<F>;
    },
    encode: (state) => {
      const writer = stateWriter.restart().uint16(STATE_VERSION);
      const values = state as Readonly<Record<string, unknown>>;
      for (const { name, encode, varying, count, list } of steps) {
        if (varying) varying.encode(writer, values[name], values[count] as number);
        else encode!(writer, list ? (values[list] as unknown[]).length : values[name]);
      }
      return writer.toBuffer();
    },
  };
}

/** What the body of a state entry is written from. */
export interface StateSource {
  /** The id of its row: 12 bytes. */
  readonly id: Buffer;
  /** The bytes of the state; for bodies that show its key (32 bytes), followed by that. */
  readonly value: Buffer;
}

/** The ids of the schemas of a REST body and of the state in it, and the member with the state. */
interface BodyNames<Name extends string> {
  readonly id: string;
  readonly description: string;
  readonly member: Name;
  readonly stateId: string;
  /** In catapult-rest some bodies have none. */
  readonly hasId?: boolean;
}

/**
 * The REST body of state values of these fields.
 * @param json its members in their order, if that is not the order of the bytes
 * @param compositeHash what the key is, if it is a member too
 */
export function stateBody<Name extends string, F extends Fields>(
  { id, description, member, stateId, hasId = true }: BodyNames<Name>,
  fields: F,
  { json, compositeHash }: { readonly json?: readonly string[]; readonly compositeHash?: string } = {},
) {
  type State = { readonly version: number } & JsonOf<{ readonly fields: F }>;
  type Body = { readonly id: string } & { readonly [_ in Name]: State };
  const all = compositeHash === undefined ? fields : { ...fields, compositeHash: field(hash, compositeHash) };
  const described = describedFields({ fields: all, ...(json && { json }) });
  const makeObject = (layout: StructLayout) => {
    const members = { compositeHash: writeKey, ...makeMembers({ fields }, layout) } as Readonly<
      Record<string, unknown>
    >;
    const shown = described.map(({ name }) => [name, members[name]]);
    return object({ version: writeVersion, ...Object.fromEntries(shown) } as Members<Buffer, State>);
  };
  const pass = { now: 0 };
  const writeObject = makeObject(computeLayout({ fields }, VERSION_SIZE, pass));
  const { view } = makeObject(computeLayout({ fields }, VERSION_SIZE));
  const write: Write<StateSource, State> = (writer, { value }) => {
    pass.now += 1;
    return writeObject(writer, value, 0);
  };
  const state = Object.assign(write, { view: ({ value }: StateSource) => view!(value, 0) });
  const ids = hasId ? { id: writeId } : {};
  return {
    schema: z
      .object({
        ...(hasId && { id: ObjectId }),
        [member]: z
          .object({ version: StateVersion, ...makeShape(described) })
          .meta({ id: stateId })
          .describe(description),
      })
      .meta({ id, description }) as z.ZodType as z.ZodType<Body>,
    described,
    write: object<StateSource, Body>({ ...ids, [member]: state } as Members<StateSource, Body>),
  };
}

const writeId: Write<StateSource, string> = (writer, { id }) => writer.hex(id);
const writeVersion: Write<Buffer, number> = (writer) => writer.number(STATE_VERSION);
const writeKey: Write<Buffer, string> = (writer, value) => writer.hex(value, value.length - hash.size, value.length);
