import type { Entry } from "../../database/lists/page.js";

const bodies = new WeakMap<Entry, unknown>();

/**
 * The REST body of an entry as an object. It is parsed once, when a typed field is first accessed: REST routes send
 * bodies unparsed and never call this.
 */
export function bodyOf<Body>(entry: Entry): Body {
  let body = bodies.get(entry);
  if (body === undefined) {
    body = JSON.parse(entry.body);
    bodies.set(entry, body);
  }
  return body as Body;
}
