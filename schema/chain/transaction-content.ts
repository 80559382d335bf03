import type { ObjectRef } from "@pothos/core";
import type { AnyTransactionBody } from "../../catapult/body/transaction.js";
import type { Entry } from "../../database/lists/page.js";
import { bodyOf } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { membersOf } from "../graph/members.js";
import { type ContentRule, TRANSACTION_CONTENTS, UNKNOWN_CONTENT } from "./transaction-contents.js";

/** A transaction, for the fields of its type. */
export interface Content {
  readonly entry: Entry;
  /** False for a pending one: the targets of its aliases are unknown. */
  readonly isConfirmed: boolean;
}

/** The `transaction` of the REST body. */
export const contentOf = ({ entry }: Content): AnyTransactionBody["transaction"] =>
  bodyOf<AnyTransactionBody>(entry).transaction;

/** Contents by transaction type. */
export const contentTypes = new Map<number, ObjectRef<SchemaTypes, Content>>();

for (const rule of TRANSACTION_CONTENTS) {
  const made = createContentType(rule);
  for (const type of rule.types) contentTypes.set(type, made);
}

const unknownContent = createContentType(UNKNOWN_CONTENT);

function createContentType({ name, description, fields }: ContentRule): ObjectRef<SchemaTypes, Content> {
  return builder.objectRef<Content>(name).implement({
    description,
    fields: (t) => membersOf(t, contentOf, fields as never),
  });
}

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
