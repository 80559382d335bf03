import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import type { StateSource } from "../../catapult/state/state-codec.js";
import { STATE, type StateDeclaration, type StateFilter } from "../../catapult/state/state-table.js";
import type { Write } from "../../catapult/values/body-writer.js";
import type { Bodies } from "../bodies/bodies.js";
import { stateBodies } from "../bodies/state-bodies.js";
import type { Database, Db } from "../database.js";
import { idKey } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import { findStateEntries, readStatePage, type Values } from "../lists/state-page.js";
import { NAMESPACE_BODIES } from "./namespaces.js";

/** A condition: its column, and the collection with a list for each value, if their entries are counted. */
interface ListColumn {
  readonly name: string;
  readonly column: string;
  readonly counted: number | undefined;
  /** Whether it has numbers below 256. */
  readonly isSmall: boolean;
}

/** Where the entries of a kind are stored, and how they are listed. */
export interface StateTable {
  readonly table: keyof Database;
  /** The column with the key of requests to the node: all rows of one value have the same. */
  readonly keyColumn: string;
  /** The column that distinguishes rows of one value; often the same. */
  readonly rowColumn: string;
  /** Number of the collection of all entries, if they are counted. */
  readonly all: number | undefined;
  readonly lists: readonly ListColumn[];
}

function tableOf(kind: StateKind): StateTable {
  const { table, keyColumn, rowColumn = keyColumn, all, lists, fields }: StateDeclaration = STATE[kind];
  const columns = Object.entries(lists).map(([name, { of, counted }]) => {
    const { column, scalar } = fields[of]!;
    return { name, column: column!, counted, isSmall: scalar === "Int" };
  });
  return { table: table as keyof Database, keyColumn, rowColumn, all, lists: columns };
}

/** The tables of all kinds. */
export const STATE_TABLES = Object.fromEntries(STATE_KINDS.map((kind) => [kind, tableOf(kind)])) as {
  readonly [K in StateKind]: StateTable;
};

/** How the entries of a kind are found by their keys, and listed by id. */
export interface StateQueries<K extends StateKind> {
  readonly kind: K;
  /** A page of the entries that match all given conditions. */
  readonly search: (db: Db, filter: StateFilter<K>, request: PageRequest) => Promise<Page<Entry>>;
  /** Entries by their keys, in the same order; missing ones are omitted. */
  readonly find: (db: Db, keys: readonly (Buffer | bigint)[]) => Promise<Entry[]>;
}

function bodiesOf(kind: StateKind): Bodies {
  if (kind === "namespace") return NAMESPACE_BODIES;
  const { body, keyColumn, showsKey }: StateDeclaration = STATE[kind];
  return stateBodies({ write: body.write as Write<StateSource, unknown> }, showsKey && keyColumn);
}

function makeQueries<K extends StateKind>(kind: K): StateQueries<K> {
  const list = { ...STATE_TABLES[kind], bodies: bodiesOf(kind) };
  return {
    kind,
    search: (db, filter, request) => readStatePage(db, list, filter as Values, request),
    find: (db, keys) => {
      const stored = keys.map((key) => (Buffer.isBuffer(key) ? key : idKey(key)));
      return findStateEntries(db, list.table, list.rowColumn, stored, list.bodies);
    },
  };
}

export const accounts = makeQueries("account");
export const accountRestrictions = makeQueries("accountRestriction");
export const hashLocks = makeQueries("hashLock");
export const metadata = makeQueries("metadata");
export const mosaics = makeQueries("mosaic");
export const mosaicRestrictions = makeQueries("mosaicRestriction");
export const namespaces = makeQueries("namespace");
export const secretLocks = makeQueries("secretLock");
