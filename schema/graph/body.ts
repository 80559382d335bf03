import type { FieldMap } from "@pothos/core";
import type { Entry } from "../../database/lists/page.js";
import { type Builder, members } from "./members.js";

const bodies = new WeakMap<Entry, unknown>();

/**
 * The REST body of an entry as an object for typed fields. What is stored as text is parsed once, when it is first
 * accessed: REST routes send bodies unparsed and never call this.
 */
export function bodyOf<Body>(entry: Entry): Body {
  const body = entry.view ?? bodies.get(entry) ?? JSON.parse(entry.body);
  if (entry.view === undefined) bodies.set(entry, body);
  return body as Body;
}

/** The REST body of an entry as JSON. */
export const jsonOf = ({ body }: Entry): unknown => JSON.parse(body);

/** The fields of every entry of a list. */
export function entryFields<Source extends Entry>(t: Builder<Source>, id: string): FieldMap {
  return {
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry: unknown) => jsonOf(entry as Entry) }),
    ...members(t as unknown as Builder<Entry>, {
      id: ["EntityId", id],
      document: ["String", "The REST body as JSON text.", "body"],
    }),
  };
}
