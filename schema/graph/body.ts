import type { FieldMap } from "@pothos/core";
import type { z } from "zod";
import type { BlockBody } from "../../catapult/nouns/block.js";
import type { AnyTransactionBody } from "../../catapult/nouns/transaction.js";
import { ACCOUNT_BODY } from "../../catapult/state/account.js";
import { ACCOUNT_RESTRICTIONS_BODY } from "../../catapult/state/account-restriction.js";
import { HASH_LOCK_BODY, SECRET_LOCK_BODY } from "../../catapult/state/lock.js";
import { METADATA_BODY } from "../../catapult/state/metadata.js";
import { MOSAIC_BODY } from "../../catapult/state/mosaic.js";
import { MOSAIC_RESTRICTION_BODY } from "../../catapult/state/mosaic-restriction.js";
import { MULTISIG_BODY } from "../../catapult/state/multisig.js";
import type { NamespaceBody } from "../../catapult/state/namespace.js";
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

/** Reads a member of the body that a declaration defines. */
function memberIn<Body, Name extends keyof Body>(_of: { readonly schema: z.ZodType<Body> }, name: Name) {
  return (entry: Entry): Body[Name] => bodyOf<Body>(entry)[name];
}

export const accountOf = memberIn(ACCOUNT_BODY, "account");
export const accountRestrictionsOf = memberIn(ACCOUNT_RESTRICTIONS_BODY, "accountRestrictions");
export const hashLockOf = memberIn(HASH_LOCK_BODY, "lock");
export const secretLockOf = memberIn(SECRET_LOCK_BODY, "lock");
export const metadataOf = memberIn(METADATA_BODY, "metadataEntry");
export const mosaicOf = memberIn(MOSAIC_BODY, "mosaic");
export const multisigOf = memberIn(MULTISIG_BODY, "multisig");
const mosaicRestrictionIn = memberIn(MOSAIC_RESTRICTION_BODY, "mosaicRestrictionEntry");
export const mosaicRestrictionOf = (entry: Entry) =>
  mosaicRestrictionIn(entry) as AnyOf<ReturnType<typeof mosaicRestrictionIn>>;
export const namespaceOf = (entry: Entry) => bodyOf<NamespaceBody>(entry).namespace;

/** Ids from the root to the namespace itself, 16 hex digits each. */
export function levelsOf(entry: Entry): string[] {
  const { level0, level1, level2 } = namespaceOf(entry);
  return [level0, level1, level2].filter((level) => level !== undefined);
}
