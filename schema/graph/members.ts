import type { EnumRef, FieldMap, ObjectRef } from "@pothos/core";
import type { DescribedField } from "../../catapult/values/struct.js";
import type { SchemaTypes } from "./builder.js";
import type { Scalars } from "./scalars.js";

/** The values that a field of each type returns. */
type Outputs = { readonly [Name in keyof Scalars]: Scalars[Name]["Output"] } & {
  readonly Int: number;
  readonly String: string;
  readonly Boolean: boolean;
};

/** The scalars that can show a value. */
type ScalarFor<Value> = { [Name in keyof Outputs]: [Value] extends [Outputs[Name]] ? Name : never }[keyof Outputs];

/** A scalar, with `?` for a value that may be missing, or a list of a scalar. */
export type FieldType = keyof Outputs | `${keyof Outputs}?` | readonly [keyof Outputs];

/** The GraphQL types that can show a value: a scalar, an enum, an object type, or a list of one of them. */
type TypeFor<Value> =
  | `${ScalarFor<NonNullable<Value>>}?`
  | ([null] extends [Value] ? never : [undefined] extends [Value] ? never : TypeForPresent<Value>);

type TypeForPresent<Value> = [Value] extends [readonly (infer Item)[]]
  ? readonly [ScalarFor<Item> | ObjectRef<SchemaTypes, Item>]
  : ScalarFor<Value> | ObjectRef<SchemaTypes, Value> | EnumRef<SchemaTypes, Value>;

/** Type and description of a field, and the member that it shows, unless it has the field's name. */
type RowFor<Of, Member extends keyof Of = keyof Of> = {
  [Name in Member]: readonly [type: TypeFor<Of[Name]>, description: string, member: Name];
}[Member];

/** A field that shows the member of its name, or another one. */
export type Row<Of, Name> = Name extends keyof Of
  ? readonly [type: TypeFor<Of[Name]>, description: string] | RowFor<Of>
  : RowFor<Of>;

type Rows<Of, Names extends string> = { readonly [Name in Names]: Row<Of, Name> };

type AnyRow = readonly [type: string | readonly unknown[] | object, description: string, member?: string];

/** The builder of the fields of an object type, or of an interface. */
export type Builder<Source> = PothosSchemaTypes.FieldBuilder<SchemaTypes, Source>;

/** Fields that show members of an object. The compiler checks that each exists and is of the field's type. */
export function members<Source extends object, Names extends string>(
  t: Builder<Source>,
  rows: Rows<Source, Names>,
): FieldMap {
  // Without a resolver of its own, a compiled operation reads the member itself.
  return makeFields(rows as never, (member, options) => t.expose(member as never, options as never));
}

/** Fields that show members of an object that belongs to their source. */
export function makeMembers<Source, Of extends object, Names extends string>(
  t: Builder<Source>,
  of: (source: Source) => Of,
  rows: Rows<Of, Names>,
): FieldMap {
  return makeFields(rows as never, (member, options) =>
    t.field({
      ...options,
      resolve: (source: unknown) => (of(source as Source) as Readonly<Record<string, string>>)[member] as string,
    }),
  );
}

/**
 * Fields that show what the declarations of entities show, by the same names unless others are given. What not all of
 * these have is null for the others.
 */
export function declaredFields<Source>(
  t: Builder<Source>,
  of: (source: Source) => object,
  all: readonly (readonly DescribedField[])[],
  names: Readonly<Record<string, string>> = {},
): FieldMap {
  const rows = all.flat().flatMap(({ name, scalar, description, isOptional }) => {
    if (scalar === undefined) return [];
    const isOfAll = !isOptional && all.every((shown) => shown.some((one) => one.name === name));
    const type = isOfAll || String(scalar).endsWith("?") ? scalar : `${scalar}?`;
    return [[names[name] ?? name, [type, description, name]] as const];
  });
  return makeMembers(t, of, Object.fromEntries(rows) as never);
}

interface FieldOptions {
  readonly type: "String";
  readonly nullable: boolean;
  readonly description: string;
}

function makeFields(
  rows: Readonly<Record<string, AnyRow>>,
  field: (member: string, options: FieldOptions) => FieldMap[string],
): FieldMap {
  const fields = Object.entries(rows).map(([name, [type, description, member = name]]) => {
    const nullable = typeof type === "string" && type.endsWith("?");
    // Pothos cannot infer which one.
    return [name, field(member, { type: (nullable ? type.slice(0, -1) : type) as "String", nullable, description })];
  });
  return Object.fromEntries(fields) as FieldMap;
}
