import { z } from "zod";
import { type Member, type Members, object } from "./body-writer.js";
import type { ByteWriter } from "./byte-writer.js";
import {
  type Codec,
  type Described,
  type Field,
  makeEncoder,
  type Position,
  type VaryingCodec,
  type VaryingField,
} from "./codecs.js";

/** Fields by their names, in the order of the bytes. */
export type Fields = Readonly<Record<string, Field<unknown> | VaryingField<unknown>>>;

/** What a struct consists of. Its bytes and its JSON body have different orders. */
export interface Struct {
  readonly fields: Fields;
  /** The names in its JSON body in their order, if that is not the order of the bytes: what has no description is not shown. */
  readonly json?: readonly string[];
  readonly union?: Readonly<Record<string, UnionMember>>;
}

/** A member of a body that shows a field under another name, only while a third field has a value. */
export interface UnionMember extends Codec<bigint, string> {
  readonly of: string;
  readonly when: string;
  readonly is: number;
}

/** The field `of` while the field `when` is a number. */
export function unionMember(of: string, when: string, is: number, codec: Codec<bigint, string>): UnionMember {
  const scalar = codec.scalar === "ArtifactId" ? "ArtifactId?" : codec.scalar;
  return { ...codec, scalar, of, when, is, isOptional: true };
}

/** The values of fields as they are read from the bytes: without the numbers of items. */
export type ValuesOf<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends { readonly isCount: true } ? never : Name]: F[Name] extends
    | Field<infer Value>
    | VaryingField<infer Value>
    ? Value
    : never;
};

/** The JSON of the fields that have a description. */
export type JsonOf<S extends Pick<Struct, "fields">> = JsonOfFields<S["fields"]> &
  (S extends { readonly union: infer Union } ? JsonOfFields<Union> : unknown);
type JsonOfFields<F> = {
  readonly [Name in keyof F as F[Name] extends { readonly description: string } ? Name : never]: F[Name] extends {
    readonly schema: z.ZodType<infer Json>;
  }
    ? F[Name] extends { readonly isOptional: true }
      ? Json | undefined
      : Json
    : never;
};

/** A field of a JSON body, for schemas. */
export interface DescribedField extends Described<unknown> {
  readonly name: string;
  readonly description: string;
}

/** The fields of the JSON body, in their order. @throws RangeError when one of them is not declared */
export function describedFields({ fields, union, json }: Struct): DescribedField[] {
  const all = { ...fields, ...union } as Readonly<Record<string, Partial<Described<unknown>>>>;
  const names = json ?? Object.keys(all).filter((name) => all[name]!.description);
  return names.map((name) => {
    const { schema, scalar, description, isOptional = false } = all[name] ?? {};
    if (!schema || !description)
      throw new RangeError(`the field ${name} is not declared with its codec and description`);
    return { name, schema, scalar, description, isOptional };
  });
}

/** The schemas of the members of a JSON body. */
export function makeShape(described: readonly DescribedField[]): Record<string, z.ZodType> {
  return Object.fromEntries(
    described.map(({ name, schema, isOptional }) => [name, isOptional ? schema.optional() : schema]),
  );
}

/** A field and its offset in the bytes of the struct. */
export interface FieldOffset {
  readonly name: string;
  readonly field: Field<unknown>;
  readonly offset: number;
}

/** A field of varying size and its positions. */
export interface MovingField {
  readonly name: string;
  readonly field: VaryingField<unknown>;
  readonly start: Position;
  readonly end: Position;
}

/** Where the fields of a struct are, after a header of a size. */
export interface StructLayout {
  readonly fixed: readonly FieldOffset[];
  readonly moving: readonly MovingField[];
  /** Size of the header and the fields before the first of varying size. */
  readonly fixedSize: number;
  /** Position after the last byte. */
  readonly end: Position;
}

/**
 * Computes where the fields of a struct are, one after the other. @param pass see `once`; by default each position is
 * computed anew
 */
export function computeLayout({ fields }: Pick<Struct, "fields">, headerSize = 0, pass?: Pass): StructLayout {
  const fixed: FieldOffset[] = [];
  const moving: MovingField[] = [];
  const counts = new Map<string | undefined, Position>([[undefined, () => Number.NaN]]);
  let fixedSize = headerSize;
  let end: Position = (_, at) => at + fixedSize;
  for (const [name, field] of Object.entries(fields)) {
    const start = end;
    if ("size" in field) {
      const offset = fixedSize;
      counts.set(name, (bytes, at) => Number(field.read(bytes, start(bytes, at))));
      if (moving.length > 0) end = (bytes, at) => start(bytes, at) + field.size;
      else {
        counts.set(name, (bytes, at) => Number(field.read(bytes, at + offset)));
        fixed.push({ name, field, offset });
        fixedSize += field.size;
      }
      continue;
    }
    const count = counts.get(field.count);
    end = once(pass, (bytes, at) => {
      if (!count) return bytes.length;
      const from = start(bytes, at);
      return from + field.sizeAt(count(bytes, at), bytes, from);
    });
    moving.push({ name, field, start, end });
  }
  return { fixed, moving, fixedSize, end };
}

/** While a pass lasts, positions are those in the same bytes: each depends on those before it, and is computed once. */
export interface Pass {
  now: number;
}

function once(pass: Pass | undefined, compute: Position): Position {
  if (!pass) return compute;
  let computedIn = pass.now;
  let position = 0;
  return (bytes, at) => {
    if (computedIn !== pass.now) position = compute(bytes, at);
    computedIn = pass.now;
    return position;
  };
}

/** How the members of the JSON body are written, from the bytes of the struct. */
export function makeMembers<S extends Struct>(struct: S, layout = computeLayout(struct)): Members<Buffer, JsonOf<S>> {
  const { fixed, moving } = layout;
  const members: Record<string, Member<Buffer, unknown>> = {};
  for (const { name, field, offset } of fixed)
    if ("json" in field) members[name] = { write: (field as Codec<unknown, unknown>).json, offset };
  for (const { name, field, start, end } of moving) {
    if (!("json" in field)) continue;
    const { json, isOptional } = field as VaryingCodec<unknown, unknown>;
    const isPresent = (bytes: Buffer, at: number) => start(bytes, at) < end(bytes, at);
    members[name] = { write: json(start, end), ...(isOptional && { isPresent }) };
  }
  const offsets = computeOffsets(struct);
  for (const [name, { of, when, is, json }] of Object.entries(struct.union ?? {})) {
    const at = fixed.find((one) => one.name === of)!.offset;
    const flag = at + offsets[when]! - offsets[of]!;
    members[name] = { write: json, offset: at, isPresent: (bytes, start) => bytes[start + flag] === is };
  }
  const shown = describedFields(struct).map(({ name }) => [name, members[name]]);
  return Object.fromEntries(shown) as Members<Buffer, JsonOf<S>>;
}

/** The offsets (bytes) of the fields before the first of varying size. */
export function computeOffsets<F extends Fields>(struct: {
  readonly fields: F;
}): { readonly [Name in keyof F]: number } {
  const offsets = computeLayout(struct).fixed.map(({ name, offset }) => [name, offset]);
  return Object.fromEntries(offsets) as { readonly [Name in keyof F]: number };
}

/** A struct of a fixed size as a value of its own, such as an item of a list. */
export function makeStruct<const F extends Readonly<Record<string, Field<unknown>>>>(
  meta: { readonly id: string; readonly description?: string },
  fields: F,
) {
  const { fixed, fixedSize } = computeLayout({ fields });
  const described = describedFields({ fields });
  const encoders = fixed.map(({ name, field }) => ({ name, encode: makeEncoder(field) }));
  const problem = (bytes: Buffer, offset: number, isStrict: boolean): string | undefined => {
    for (const { name, field, offset: at } of fixed) {
      const found = field.problem?.(bytes, offset + at, isStrict);
      if (found) return `${name} ${found}`;
    }
    return undefined;
  };
  return {
    size: fixedSize,
    described,
    read: (bytes: Buffer, offset: number): ValuesOf<F> => {
      const values: Record<string, unknown> = {};
      for (const { name, field, offset: at } of fixed) values[name] = field.read(bytes, offset + at);
      return values as ValuesOf<F>;
    },
    ...(fixed.some(({ field }) => field.problem) && { problem }),
    encode: (writer: ByteWriter, value: ValuesOf<F>): void => {
      for (const { name, encode } of encoders) encode(writer, value[name as keyof ValuesOf<F>]);
    },
    schema: z.object(makeShape(described)).meta(meta) as z.ZodType as z.ZodType<JsonOf<{ readonly fields: F }>>,
    scalar: undefined,
    json: object<Buffer, JsonOf<{ readonly fields: F }>>(makeMembers({ fields })),
  };
}
