import type { ObjectRef } from "@pothos/core";
import type { Db } from "../../database/database.js";
import type { Entry } from "../../database/lists/page.js";
import { isStateThere } from "../../database/queries/state-entries.js";
import type { StateNoun } from "../../database/queries/state-nouns.js";
import { invalidArgument, serviceUnavailable } from "../errors/errors.js";
import { builder, type SchemaTypes } from "./builder.js";
import type { Context } from "./context.js";
import type { Builder, FieldType } from "./members.js";
import { type ListArguments, type ListPage, listArguments, searchList } from "./page.js";

/** Maximum number of keys in one look-up: as many as an account may have mosaics. */
export const MAX_KEYS = 1000;
/** The same for entries with potentially many thousand bytes each: accounts and their restrictions. */
export const MAX_LARGE_KEYS = 100;

/**
 * The database, for reading state.
 * @throws ApiError ServiceUnavailable before the first block: until then, a missing entry is meaningless
 */
export async function stateDb({ db }: Pick<Context, "db">): Promise<Db> {
  if (await isStateThere(db)) return db;
  throw serviceUnavailable("nothing is indexed yet: try again");
}

/** @throws ApiError InvalidArgument when a look-up has more than `max` keys */
export function checkKeys(name: string, keys: readonly unknown[], max = MAX_KEYS): void {
  if (keys.length > max) throw invalidArgument(`${name} must not have more than ${max} entries, not ${keys.length}`);
}

/** The 24 bytes of an address in a document as hex digits. */
export function addressIn(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}

/** A field with the entries of a kind of state that belong to its source. */
export function ownEntries<Source, Filter>(
  t: Builder<Source>,
  type: ObjectRef<SchemaTypes, ListPage<Entry>>,
  description: string,
  { search }: Pick<StateNoun<never, Filter>, "search">,
  filterOf: (source: Source) => Filter,
) {
  return t.field({
    type,
    description,
    args: listArguments,
    resolve: (source: unknown, list: ListArguments, context: Context) =>
      searchList(search, { ...list, ...filterOf(source as Source) } as never, () => stateDb(context)),
  });
}

/** A query for entries of a kind of state by their keys, in the order of the request. */
export function queryByKeys<Key>(
  query: string,
  type: ObjectRef<SchemaTypes, Entry>,
  description: string,
  [name, key, meaning]: readonly [name: string, key: FieldType & keyof SchemaTypes["Scalars"], meaning: string],
  { find }: Pick<StateNoun<Key, never>, "find">,
  max = MAX_KEYS,
): void {
  builder.queryField(query, (t) =>
    t.field({
      type: [type],
      description,
      args: { [name]: t.arg({ type: [key], required: true, description: `${meaning}, at most ${max}.` }) },
      resolve: async (_root, args, context) => {
        const keys = args[name] as readonly Key[];
        checkKeys(name, keys, max);
        return find(await stateDb(context), keys);
      },
    }),
  );
}
