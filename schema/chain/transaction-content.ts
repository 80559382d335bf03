import type { ObjectRef } from "@pothos/core";
import type { AnyTransactionBody } from "../../catapult/structs/transaction.js";
import { TRANSACTION_LAYOUTS, type TransactionLayout } from "../../catapult/structs/transaction-types.js";
import { describedFields } from "../../catapult/values/struct.js";
import type { Entry } from "../../database/lists/page.js";
import { bodyOf } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { declaredFields } from "../graph/members.js";

/** A transaction, for the fields of its type. */
interface Content {
  readonly entry: Entry;
  /** False for a pending one: the targets of its aliases are unknown. */
  readonly isConfirmed: boolean;
}

/** The `transaction` of the REST body. */
const contentOf = ({ entry }: Content): AnyTransactionBody["transaction"] =>
  bodyOf<AnyTransactionBody>(entry).transaction;

/** Contents by transaction type. Lists of objects are left out: cosignatures and mosaics are fields of the transaction. */
const contentTypes = new Map<number, ObjectRef<SchemaTypes, Content>>();

for (const { type, schema, description, ...layout } of Object.values<TransactionLayout>(TRANSACTION_LAYOUTS)) {
  const isAggregate = layout.isTopLevelOnly === true;
  // Both types of aggregates have the same content.
  const known = isAggregate ? contentTypes.get(TRANSACTION_LAYOUTS.aggregate_complete.type) : undefined;
  const made =
    known ??
    builder.objectRef<Content>(`${schema}Content`).implement({
      description: description,
      fields: (t) => declaredFields(t, contentOf, [describedFields(layout)]),
    });
  contentTypes.set(type, made);
}

const unknownContent = builder.objectRef<Content>("UnknownContent").implement({
  description: "Content of a transaction whose type or version this program does not know.",
  fields: (t) => ({
    bin: t.field({
      type: "Hex",
      description: "Bytes after the header.",
      resolve: (content) => (contentOf(content) as { readonly bin: string }).bin,
    }),
  }),
});

/** Fields specific to a transaction type. */
export const TransactionContent = builder.unionType("TransactionContent", {
  description:
    "Fields that are specific to a transaction type. Addresses and ids are as in the transaction: not resolved.",
  types: [...new Set(contentTypes.values()), unknownContent],
  resolveType: (content) => {
    const body = contentOf(content as Content);
    if ("bin" in body) return unknownContent;
    const type = contentTypes.get(body.type);
    if (!type) throw new Error(`no content is known for transactions of type ${body.type}`);
    return type;
  },
});
