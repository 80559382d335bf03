/** A type in the schema's introspection. */
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
export type Types = ReadonlyMap<
  string,
  { readonly fields: readonly Field[] | null; readonly possibleTypes?: readonly TypeReference[] | null }
>;

/** Separates the type and the name of a field of a union's member: members may have fields with one name and different types. */
const OF_MEMBER = "__of__";

/** Fields with nothing of a REST body in them. For a whole page, those of a block cost too much. */
const NO_BODY = new Set(["edges", "movements", "transactionHashes"]);

/**
 * All fields of a type that need no arguments, to a depth. Routers (types with a REST body) form circles: one is not
 * entered from another.
 */
export function selection(type: TypeReference, types: Types, depth: number, isInEntity = false): string {
  if (type.ofType) return selection(type.ofType, types, depth, isInEntity);
  const found = types.get(type.name ?? "");
  if (type.kind === "UNION") {
    const members = (found?.possibleTypes ?? []).map(({ name }) => {
      const own = types.get(name ?? "")?.fields ?? [];
      return `... on ${name} { ${own.map((field) => `${name}${OF_MEMBER}${field.name}: ${field.name}`).join(" ")} }`;
    });
    return `{ __typename ${members.join(" ")} }`;
  }
  const fields = found?.fields;
  if (!fields) return "";
  const isEntity = (has(fields, "body") && !has(fields, "data")) || isInEntity;
  const inside = fields
    .filter((field) => {
      if (field.args.some(({ type: { kind }, defaultValue }) => kind === "NON_NULL" && defaultValue === null))
        return false;
      if (NO_BODY.has(field.name)) return false;
      const of = types.get(nameOf(field.type))?.fields;
      if (!of) return true;
      const leadsOn = has(of, "body") || has(of, "data");
      return depth > 0 && !(isEntity && leadsOn);
    })
    .map((field) => `${field.name} ${selection(field.type, types, depth - 1, isEntity)}`);
  return `{ ${inside.join(" ")} }`;
}

function has(fields: readonly Field[], name: string): boolean {
  return fields.some((field) => field.name === name);
}

function nameOf(type: TypeReference): string {
  return type.ofType ? nameOf(type.ofType) : (type.name ?? "");
}

/** A member of a union as {@link selection} requested it, with the names of its fields. */
export function memberOf(answer: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = Object.entries(answer).filter(([name]) => name.includes(OF_MEMBER));
  return Object.fromEntries(fields.map(([name, value]) => [name.split(OF_MEMBER)[1] ?? "", value]));
}
