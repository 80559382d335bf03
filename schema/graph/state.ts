import type { ObjectRef } from "@pothos/core";
import { stateKeySize } from "../../catapult/state/key.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { STATE, type StateDeclaration, type StateFilter } from "../../catapult/state/state-table.js";
import type { Db } from "../../database/database.js";
import type { Entry } from "../../database/lists/page.js";
import { isStateThere } from "../../database/queries/state-entries.js";
import type { StateQueries } from "../../database/queries/state-lists.js";
import { invalidArgument, serviceUnavailable } from "../errors/errors.js";
import { builder, type SchemaTypes } from "./builder.js";
import type { Context } from "./context.js";
import type { Builder } from "./members.js";
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
export function ownEntries<Source, K extends StateKind>(
  t: Builder<Source>,
  type: ObjectRef<SchemaTypes, ListPage<Entry>>,
  description: string,
  { search }: StateQueries<K>,
  filterOf: (source: Source) => StateFilter<K>,
) {
  return t.field({
    type,
    description,
    args: listArguments,
    resolve: (source: unknown, list: ListArguments, context: Context) =>
      searchList(search, { ...list, ...filterOf(source as Source) } as never, () => stateDb(context)),
  });
}

/** The scalars of keys and conditions. */
type Scalar = "Address" | "ArtifactId" | "Hash256" | "Int";
const KEY_SCALARS: Readonly<Record<number, Scalar>> = { 8: "ArtifactId", 24: "Address", 32: "Hash256" };

/** The queries of a kind: its list, and entries by their keys in the order of the request. */
export function stateQueries<K extends StateKind>(
  { kind, search, find }: StateQueries<K>,
  type: ObjectRef<SchemaTypes, Entry>,
  page: ObjectRef<SchemaTypes, ListPage<Entry>>,
): void {
  const { lists, fields, texts }: StateDeclaration = STATE[kind];
  const {
    list,
    search: [, listDescription],
    byKeys: [byKeys, description],
    keys: [, keys, about],
    isLarge,
  } = texts!;
  const max = isLarge ? MAX_LARGE_KEYS : MAX_KEYS;
  builder.queryFields((t) => ({
    [byKeys]: t.field({
      type: [type],
      description,
      args: {
        [keys]: t.arg({
          type: [KEY_SCALARS[stateKeySize(kind)]!],
          required: true,
          description: `${about}, at most ${max}.`,
        }),
      },
      resolve: async (_root, args, context) => {
        const given = args[keys] as readonly (Buffer | bigint)[];
        checkKeys(keys, given, max);
        return find(await stateDb(context), given);
      },
    }),
    [list]: t.field({
      type: page,
      description: listDescription,
      args: {
        ...Object.fromEntries(
          Object.entries(lists).map(([name, { of, scalar, description }]) => {
            const type = (scalar ?? fields[of]!.scalar) as Scalar;
            return [name, t.arg({ type, description })];
          }),
        ),
        ...listArguments,
      },
      resolve: (_root, args, context) => searchList(search, args as never, () => stateDb(context)),
    }),
  }));
}
