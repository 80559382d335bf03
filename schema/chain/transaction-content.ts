import type { ObjectRef } from "@pothos/core";
import type { AnyTransactionBody } from "../../catapult/body/transaction.js";
import type { Entry } from "../../database/lists/page.js";
import { bodyOf } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { type ContentRule, type FieldKind, TRANSACTION_CONTENTS, UNKNOWN_CONTENT } from "./transaction-contents.js";

/** A transaction, for the fields of its type. */
export interface Content {
  readonly entry: Entry;
  /** False for a pending one: the targets of its aliases are unknown. */
  readonly isConfirmed: boolean;
}

/** The `transaction` of the REST body. */
export const contentOf = ({ entry }: Content): AnyTransactionBody["transaction"] =>
  bodyOf<AnyTransactionBody>(entry).transaction;

const bytes = (value: unknown) => Buffer.from(String(value), "hex");
const list = (value: unknown) => value as readonly (string | number)[];

/** How a member of the body is converted to a scalar. */
const KINDS = {
  address: { type: "Address", read: bytes },
  artifactId: { type: "ArtifactId", read: String },
  hash: { type: "Hash256", read: String },
  hex: { type: "Hex", read: String },
  key: { type: "PublicKey", read: String },
  uint64: { type: "UInt64", read: String },
  int: { type: "Int", read: Number },
  safeInt: { type: "SafeInt", read: Number },
  text: { type: "String", read: String },
  addresses: { type: ["Address"], read: (value: unknown) => list(value).map(bytes) },
  artifactIds: { type: ["ArtifactId"], read: list },
  ints: { type: ["Int"], read: list },
} as const satisfies Record<FieldKind, unknown>;

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
    fields: (t) =>
      Object.fromEntries(
        Object.entries(fields).map(([member, [kind, text, isOptional]]) => {
          const { type, read } = KINDS[kind];
          const field = t.field({
            // A union of all kinds: Pothos cannot infer which one.
            type: type as "String",
            nullable: isOptional === "optional",
            description: text,
            resolve: (content) => {
              const value = (contentOf(content) as Readonly<Record<string, unknown>>)[member];
              return (value === undefined ? null : read(value)) as string;
            },
          });
          return [member, field];
        }),
      ),
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
