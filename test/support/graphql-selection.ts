/** A type as the schema's introspection has it. */
export interface TypeReference {
  readonly name: string | null;
  readonly kind: string;
  readonly ofType: TypeReference | null;
}

export interface Field {
  readonly name: string;
  readonly description: string | null;
  readonly type: TypeReference;
}

/** All types of a schema by name. */
export type Types = ReadonlyMap<string, { readonly fields: readonly Field[] | null }>;

/** All fields of a type that need no arguments, so deep. */
export function selection(type: TypeReference, types: Types, depth: number): string {
  if (type.ofType) return selection(type.ofType, types, depth);
  const fields = types.get(type.name ?? "")?.fields;
  if (!fields) return "";
  const inside = fields
    .filter((field) => depth > 0 || !types.get(nameOf(field.type))?.fields)
    .map((field) => `${field.name} ${selection(field.type, types, depth - 1)}`);
  return `{ ${inside.join(" ")} }`;
}

function nameOf(type: TypeReference): string {
  return type.ofType ? nameOf(type.ofType) : (type.name ?? "");
}
