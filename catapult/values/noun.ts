import type { z } from "zod";
import type { Members, OptionalWrite, Write } from "./body-writer.js";
import type { Field, Form, Position, Scalar, Shown, Tail, TailForm } from "./forms.js";

/** What a noun consists of. Its bytes and its JSON body have different orders. */
export interface Layout {
  /** In the order of the bytes. */
  readonly fields: Readonly<Record<string, Field<unknown>>>;
  /** What follows the fields. */
  readonly tail?: Readonly<Record<string, Tail<unknown>>>;
  /** The members of its JSON body in their order, if that is not the order of the bytes: what has no meaning is not shown. */
  readonly json?: readonly string[];
  readonly variants?: Readonly<Record<string, Variant>>;
}

/** A member that shows a field under another name, only while a third field has a value. */
export interface Variant extends Form<bigint, string> {
  readonly of: string;
  readonly when: string;
  readonly is: number;
  readonly isOptional: true;
}

/** The form of the field `of` while the field `when` is a number. */
export function variant<F extends Form<bigint, string>>(of: string, when: string, is: number, form: F): F & Variant {
  return {
    ...form,
    scalar: form.scalar === "ArtifactId" ? "ArtifactId?" : form.scalar,
    of,
    when,
    is,
    isOptional: true,
  };
}

type ValueOf<F> = F extends Field<infer Value> | Tail<infer Value> ? Value : never;

/** The values of all fields as they are read from the bytes. */
export type ValuesOf<L extends Layout> = { readonly [Name in keyof L["fields"]]: ValueOf<L["fields"][Name]> } & {
  readonly [Name in keyof TailOf<L>]: ValueOf<TailOf<L>[Name]>;
};

type TailOf<L> = L extends { readonly tail: infer T } ? T : unknown;
type AllOf<L extends Layout> = L["fields"] & TailOf<L> & (L extends { readonly variants: infer V } ? V : unknown);
type NamesOf<L extends Layout> = L extends { readonly json: readonly (infer Name extends PropertyKey)[] }
  ? Name
  : { [Name in keyof AllOf<L>]: AllOf<L>[Name] extends { readonly meaning: string } ? Name : never }[keyof AllOf<L>];
type JsonIn<L extends Layout, Name> = Name extends keyof AllOf<L>
  ? AllOf<L>[Name] extends { readonly schema: z.ZodType<infer Json> }
    ? Json
    : never
  : never;
type OptionalIn<L extends Layout> = {
  [Name in keyof AllOf<L>]: AllOf<L>[Name] extends { readonly isOptional: true } ? Name : never;
}[keyof AllOf<L>];

/** The JSON body: see `json` of the layout. */
export type JsonOf<L extends Layout> = {
  readonly [Name in Exclude<NamesOf<L>, OptionalIn<L>>]: JsonIn<L, Name>;
} & { readonly [Name in Extract<NamesOf<L>, OptionalIn<L>>]?: JsonIn<L, Name> | undefined };

/** A member of a JSON body, for schemas. */
export interface ShownMember extends Shown<unknown> {
  readonly name: string;
  readonly isOptional: boolean;
}

const membersIn = ({ fields, tail, variants }: Layout) =>
  ({ ...fields, ...tail, ...variants }) as Readonly<Record<string, Partial<Variant>>>;

function namesOf(layout: Layout): readonly string[] {
  const all = membersIn(layout);
  return layout.json ?? Object.keys(all).filter((name) => all[name]!.meaning);
}

/** The members of the JSON body, in their order. @throws RangeError when one of them is not declared */
export function shownMembers(layout: Layout): ShownMember[] {
  const all = membersIn(layout);
  return namesOf(layout).map((name) => {
    const { schema, scalar, meaning, isOptional = false } = all[name] ?? {};
    if (!schema || !meaning) throw new RangeError(`the member ${name} is not declared with its form and its meaning`);
    return { name, schema, scalar: scalar as Scalar, meaning, isOptional };
  });
}

/** The schemas of the members of the JSON body. */
export function shapeOf(layout: Layout): Record<string, z.ZodType> {
  return shapeOfMembers(shownMembers(layout));
}

/** The schemas of members. */
export function shapeOfMembers(shown: readonly ShownMember[]): Record<string, z.ZodType> {
  return Object.fromEntries(
    shown.map(({ name, schema, isOptional }) => [name, isOptional ? schema.optional() : schema]),
  );
}

/** A field of a noun, and its offset in the noun's bytes. */
export interface PlacedField {
  readonly name: string;
  readonly field: Field<unknown>;
  readonly offset: number;
}

/** Values at the end of a noun, and their place in its bytes. A tail that fills the rest ends with the bytes. */
export interface PlacedTail {
  readonly name: string;
  readonly tail: Tail<unknown>;
  readonly start: Position;
  readonly end: Position;
}

/** Where the fields of a noun are, after a header of a size. */
export interface Placed {
  readonly fields: readonly PlacedField[];
  readonly tails: readonly PlacedTail[];
  /** Size of the header and the fields. */
  readonly fixedSize: number;
  /** Position after the last byte. */
  readonly end: Position;
}

/** Places the fields of a noun one after the other. */
export function place(layout: Layout, headerSize = 0): Placed {
  const fields: PlacedField[] = [];
  let offset = headerSize;
  for (const [name, field] of Object.entries(layout.fields)) {
    fields.push({ name, field, offset });
    offset += field.size;
  }
  const fixedSize = offset;
  const tails: PlacedTail[] = [];
  let end: Position = (_, at) => at + fixedSize;
  for (const [name, tail] of Object.entries(layout.tail ?? {})) {
    const count = fields.find((one) => one.name === tail.count);
    const start = end;
    end = (bytes, at) =>
      count ? start(bytes, at) + tail.item.size * (count.field.read(bytes, at + count.offset) as number) : bytes.length;
    tails.push({ name, tail, start, end });
  }
  return { fields, tails, fixedSize, end };
}

/** How the members of the JSON body are written, from the bytes of the noun. */
export function membersOf<L extends Layout>(layout: L, { fields, tails }: Placed): Members<Buffer, JsonOf<L>> {
  const offsetOf = (name: string) => fields.find((one) => one.name === name)!.offset;
  const writers = new Map<string, Write<Buffer, unknown> | OptionalWrite<Buffer, unknown>>();
  for (const { name, field, offset } of fields)
    if ("writer" in field) writers.set(name, (field as Form<unknown, unknown>).writer(offset));
  for (const { name, tail, start, end } of tails) {
    if (!("writer" in tail)) continue;
    const write = (tail as TailForm<unknown, unknown>).writer(start, end);
    const count = fields.find((one) => one.name === tail.count);
    const isPresent = (bytes: Buffer, at: number) => count!.field.read(bytes, at + count!.offset) !== 0;
    writers.set(name, "isOptional" in tail ? { isPresent, write } : write);
  }
  for (const [name, { of, when, is, writer }] of Object.entries(layout.variants ?? {})) {
    const whenOffset = offsetOf(when);
    writers.set(name, {
      isPresent: (bytes, at) => bytes[at + whenOffset] === is,
      write: writer(offsetOf(of)),
    });
  }
  return Object.fromEntries(namesOf(layout).map((name) => [name, writers.get(name)])) as Members<Buffer, JsonOf<L>>;
}

/** The offsets (bytes) of the fields. */
export function offsetsOf<L extends Layout>(layout: L): { readonly [Name in keyof L["fields"]]: number } {
  return Object.fromEntries(place(layout).fields.map(({ name, offset }) => [name, offset])) as {
    readonly [Name in keyof L["fields"]]: number;
  };
}
