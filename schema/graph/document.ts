import type { Entry } from "../../database/lists/page.js";

const bodies = new WeakMap<Entry, unknown>();

/**
 * The stored REST body of an entry as an object. It is parsed when a typed field is first asked for, and once: REST
 * routes send documents as they are and never come here.
 */
export function bodyOf<Body>(entry: Entry): Body {
  let body = bodies.get(entry);
  if (body === undefined) {
    body = JSON.parse(entry.document);
    bodies.set(entry, body);
  }
  return body as Body;
}
