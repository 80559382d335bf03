import type { ObjectRef } from "@pothos/core";
import { invalidArgument, invalidContent } from "../errors/errors.js";
import { builder, type SchemaTypes } from "./builder.js";
import { PageInfoType } from "./page.js";

const DEFAULT_FIRST = 10;
const MAX_FIRST = 1_000;

/** Entries of a list without a total, with cursors. */
export interface Connection<Item> {
  readonly items: readonly Item[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** Texts and members of a list's GraphQL type. */
interface ConnectionType<Item> {
  readonly description: string;
  readonly entry: ObjectRef<SchemaTypes, Item>;
  /** Description of `data`. */
  readonly entries: string;
  /** Description of `pageInfo`. */
  readonly pageInfo: string;
  /** Cursor of an entry. */
  readonly cursorOf: (item: Item) => string;
}

/** The GraphQL type of a list without a total. */
export function connectionType<Item>(name: string, type: ConnectionType<Item>) {
  return builder.objectRef<Connection<Item>>(name).implement({
    description: type.description,
    fields: (t) => ({
      data: t.field({
        description: type.entries,
        type: [type.entry],
        resolve: ({ items }) => items as Item[],
      }),
      pageInfo: t.field({
        description: type.pageInfo,
        type: PageInfoType,
        resolve: (list) => makePageInfo(list, type.cursorOf),
      }),
    }),
  });
}

function makePageInfo<Item>(
  { items, hasNextPage, hasPreviousPage }: Connection<Item>,
  cursorOf: (item: Item) => string,
) {
  const [first] = items;
  const last = items.at(-1);
  const startCursor = first === undefined ? undefined : cursorOf(first);
  const endCursor = last === undefined ? undefined : cursorOf(last);
  return { startCursor, endCursor, hasNextPage, hasPreviousPage };
}

/** Arguments of a list without a total, as given. */
export interface CursorArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** The same in the schema. */
export const cursorArguments = builder.args((t) => ({
  first: t.int({
    description: `Number of entries: 1 to ${MAX_FIRST}, by default ${DEFAULT_FIRST}.`,
  }),
  after: t.string({ description: "Cursor of the entry after which to start: endCursor of the previous page." }),
}));

/**
 * Reads one more entry than returned: it shows whether there is a next page.
 * @throws ApiError InvalidArgument for another number of entries, InvalidContent for an invalid cursor
 */
export async function readConnection<Item, Cursor>(
  { first, after }: CursorArguments,
  parseCursor: (text: string) => Cursor | undefined,
  read: (first: number, after: Cursor | undefined) => Promise<readonly Item[]>,
): Promise<Connection<Item>> {
  const count = first ?? DEFAULT_FIRST;
  if (count < 1 || count > MAX_FIRST) throw invalidArgument(`first must be from 1 to ${MAX_FIRST}, not ${count}`);
  const cursor = after == null ? undefined : parseCursor(after);
  if (after != null && cursor === undefined) throw invalidContent("after", "the endCursor of a page");
  const items = await read(count + 1, cursor);
  return { items: items.slice(0, count), hasNextPage: items.length > count, hasPreviousPage: after != null };
}
