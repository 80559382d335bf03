import type { ObjectRef } from "@pothos/core";
import { EMBEDDED_HEADER, TRANSACTION_HEADER } from "../../catapult/nouns/header.js";
import type { AnyTransactionBody } from "../../catapult/nouns/transaction.js";
import { transactionTypeName } from "../../catapult/nouns/type-names.js";
import type { AnyOf } from "../../catapult/values/scalars.js";
import type { Entry } from "../../database/lists/page.js";
import { bodyOf, jsonOf } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { declaredFields, membersOf } from "../graph/members.js";

type Meta = AnyOf<AnyTransactionBody["meta"]>;
export type TransactionFields = AnyOf<AnyTransactionBody["transaction"]>;

/** What the REST body of a transaction says about its place. */
export const metaOf = (entry: Entry) => bodyOf<AnyTransactionBody>(entry).meta as Meta;
/** The content of the REST body of a transaction. */
export const transactionOf = (entry: Entry) => bodyOf<AnyTransactionBody>(entry).transaction as TransactionFields;

/** Adds the fields that confirmed and pending transactions have in common. */
export function addTransactionFields<Item extends Entry>(type: ObjectRef<SchemaTypes, Item>): void {
  builder.objectFields(type, (t) => ({
    ...membersOf(t, metaOf, {
      hash: ["Hash256?", "Hash of the transaction; null for an embedded transaction."],
      aggregateId: ["EntityId?", "Id of the aggregate; for an embedded transaction only."],
      aggregateHash: ["Hash256?", "Hash of the aggregate; for an embedded transaction only."],
    }),
    ...membersOf(t, transactionOf, {
      recipientAddress: ["Address?", "Recipient as in the transaction: not resolved. Null if the type has none."],
    }),
    ...declaredFields(t, transactionOf, [TRANSACTION_HEADER, EMBEDDED_HEADER]),
    typeName: t.string({
      description: "Name of the transaction type, such as transfer; its number if it is unknown.",
      resolve: (entry) => transactionTypeName(transactionOf(entry).type),
    }),
    body: t.field({ type: "JSON", description: "The REST body in searches.", resolve: jsonOf }),
    document: t.string({
      description: "The REST body in searches as JSON text, without embedded transactions.",
      resolve: (entry) => entry.body,
    }),
  }));
}
