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
  readonly args: readonly { readonly type: TypeReference; readonly defaultValue: string | null }[];
}

/** All types of a schema by name. */
export type Types = ReadonlyMap<string, { readonly fields: readonly Field[] | null }>;

/**
 * All fields of a type that need no arguments, so deep. Nouns (what has a REST body) lead to each other in circles: from
 * one no other is entered.
 */
export function selection(type: TypeReference, types: Types, depth: number, isInNoun = false): string {
  if (type.ofType) return selection(type.ofType, types, depth, isInNoun);
  const fields = types.get(type.name ?? "")?.fields;
  if (!fields) return "";
  const isNoun = has(fields, "document") || isInNoun;
  const inside = fields
    .filter((field) => {
      if (field.args.some(({ type: { kind }, defaultValue }) => kind === "NON_NULL" && defaultValue === null))
        return false;
      const of = types.get(nameOf(field.type))?.fields;
      if (!of) return true;
      const leadsOn = has(of, "document") || has(of, "data");
      return depth > 0 && field.name !== "edges" && !(isNoun && leadsOn);
    })
    .map((field) => `${field.name} ${selection(field.type, types, depth - 1, isNoun)}`);
  return `{ ${inside.join(" ")} }`;
}

function has(fields: readonly Field[], name: string): boolean {
  return fields.some((field) => field.name === name);
}

function nameOf(type: TypeReference): string {
  return type.ofType ? nameOf(type.ofType) : (type.name ?? "");
}
