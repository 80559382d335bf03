import type { FieldMap } from "@pothos/core";
import type { z } from "zod";
import type { StateKind } from "../../catapult/state/kind.js";
import type { STATE } from "../../catapult/state/state-table.js";
import type { BlockBody } from "../../catapult/structs/block.js";
import type { AnyTransactionBody } from "../../catapult/structs/transaction.js";
import type { AnyOf } from "../../catapult/values/scalars.js";
import type { Entry } from "../../database/lists/page.js";
import { type Builder, members } from "./members.js";
import { JsonText } from "./scalars.js";

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

/** The REST body: the value in GraphQL, and the text in routes of REST. */
export function bodyField<Source>(
  t: Builder<Source>,
  textOf: (source: Source) => string,
  description = "The REST body.",
): FieldMap[string] {
  return t.field({ type: "JSON", description, resolve: (source: unknown) => new JsonText(textOf(source as Source)) });
}

/** The fields of every entry of a list. */
export function entryFields<Source extends Entry>(t: Builder<Source>, id: string): FieldMap {
  return {
    body: bodyField(t, ({ body }) => body),
    ...members(t as unknown as Builder<Entry>, { id: ["EntityId", id] }),
  };
}

/* What is in the bodies of entries. */

export const blockOf = (entry: Entry) => bodyOf<BlockBody>(entry).block;
/** Height of a block. */
export const heightOf = (entry: Entry) => Number(blockOf(entry).height);

/** What the body of a transaction says about its place. */
export const metaOf = (entry: Entry) => bodyOf<AnyTransactionBody>(entry).meta as AnyOf<AnyTransactionBody["meta"]>;
export type TransactionFields = AnyOf<AnyTransactionBody["transaction"]>;
export const transactionOf = (entry: Entry) => bodyOf<AnyTransactionBody>(entry).transaction as TransactionFields;

/** The REST body of a kind of state. */
type StateBody<K extends StateKind> = z.infer<(typeof STATE)[K]["body"]["schema"]>;

/** Reads the state in the body of a kind. */
function stateIn<K extends StateKind, Name extends keyof StateBody<K>>(_kind: K, name: Name) {
  return (entry: Entry): StateBody<K>[Name] => bodyOf<StateBody<K>>(entry)[name];
}

export const accountOf = stateIn("account", "account");
export const accountRestrictionsOf = stateIn("accountRestriction", "accountRestrictions");
export const hashLockOf = stateIn("hashLock", "lock");
export const secretLockOf = stateIn("secretLock", "lock");
export const metadataOf = stateIn("metadata", "metadataEntry");
export const mosaicOf = stateIn("mosaic", "mosaic");
export const multisigOf = stateIn("multisig", "multisig");
export const namespaceOf = stateIn("namespace", "namespace");
const mosaicRestrictionIn = stateIn("mosaicRestriction", "mosaicRestrictionEntry");
export const readMosaicRestriction = (entry: Entry) =>
  mosaicRestrictionIn(entry) as AnyOf<ReturnType<typeof mosaicRestrictionIn>>;

/** Ids from the root to the namespace itself, 16 hex digits each. */
export function readLevels(entry: Entry): string[] {
  const { level0, level1, level2 } = namespaceOf(entry);
  return [level0, level1, level2].filter((level) => level !== undefined);
}
