import type { FieldMap } from "@pothos/core";
import type { Entry } from "../../database/lists/page.js";
import { type Builder, members } from "./members.js";

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

/** The fields of every entry of a list. */
export function entryFields<Source extends Entry>(t: Builder<Source>, id: string): FieldMap {
  return {
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry: unknown) => bodyOf(entry as Entry) }),
    ...members(t as unknown as Builder<Entry>, {
      id: ["EntityId", id],
      document: ["String", "The REST body as JSON text.", "body"],
    }),
  };
}
