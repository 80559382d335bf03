import { encodeAddress } from "../../catapult/entity/address.js";
import { memberOf } from "./graphql-selection.js";

// biome-ignore lint/suspicious/noExplicitAny: answers are of every form.
type Any = any;

/** Names of typed fields that differ from those in bodies. */
const BODY_NAMES: Readonly<Record<string, string>> = { flags: "restrictionFlags" };
/** Members of a body without a typed field of the same name. */
export function missingOf(typed: Any, body: Any): string[] {
  return Object.keys(body).filter((name) => !(name in typed) && name !== "version");
}

/**
 * Compares typed fields with the members of a body with the same names, and those of objects in them.
 * @returns the number of compared fields
 */
export function compareWithBody(typed: Any, body: Any): number {
  let compared = 0;
  for (const [name, value] of Object.entries<Any>(typed)) {
    const inBody = body[BODY_NAMES[name] ?? name];
    if (inBody === undefined || name === "id") continue;
    if (Array.isArray(value) && isObject(value[0])) {
      for (const [place, item] of value.entries()) compared += compareWithBody(item, inBody[place]);
    } else if (isObject(value)) compared += compareWithBody(value, inBody);
    else {
      const [found, wanted] = [JSON.stringify(normal(value)), JSON.stringify(normal(inBody))];
      // Tens of thousands: an expectation for each would take most of the time.
      if (found !== wanted) throw new Error(`${name} is ${found}, but ${wanted} in the body`);
      compared += 1;
    }
  }
  return compared;
}

/** The same for all entries of a list. @returns the number, and the members of bodies that have no typed field */
export function compareEntries(entries: readonly Any[]): { readonly compared: number; readonly missing: string[] } {
  const missing = new Set<string>();
  let compared = 0;
  for (const { body, content, ...entry } of entries) {
    const { meta, ...entities } = body;
    const entity = Object.values(entities).find(isObject);
    const ofType = content ? memberOf(content) : {};
    // A hash lock refers to another hash than its own.
    compared += compareWithBody(ofType, entity) + compareWithBody(entry, { ...entity, ...meta });
    for (const name of missingOf({ ...ofType, ...entry }, { ...entity, ...meta })) missing.add(name);
  }
  return { compared, missing: [...missing].sort() };
}

/** Whether it is an object and not a list. */
function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Numbers are texts in bodies, addresses hex digits. */
function normal(value: Any): Any {
  if (Array.isArray(value)) return value.map(normal);
  const text = String(value);
  return /^[0-9A-F]{48}$/.test(text) ? encodeAddress(Buffer.from(text, "hex")) : text;
}
