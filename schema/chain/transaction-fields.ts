import type { ObjectRef } from "@pothos/core";
import { EMBEDDED_HEADER, TRANSACTION_HEADER } from "../../catapult/nouns/header.js";
import { transactionTypeName } from "../../catapult/nouns/type-names.js";
import { describedFields } from "../../catapult/values/struct.js";
import type { Entry } from "../../database/lists/page.js";
import { jsonOf, metaOf, type TransactionFields, transactionOf } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { keyAccountField } from "../graph/loaders.js";
import { declaredFields, members, membersOf } from "../graph/members.js";

type Cosignature = NonNullable<TransactionFields["cosignatures"]>[number];

const CosignatureType = builder.objectRef<Cosignature>("Cosignature").implement({
  description: "Cosignature of an aggregate by another account.",
  fields: (t) => ({
    ...members(t, {
      version: ["UInt64", "0."],
      signerPublicKey: ["PublicKey", "Public key of the cosigner."],
      signature: ["Signature", "Signature of the aggregate's hash."],
    }),
    signer: keyAccountField(t, "Account of the cosigner.", ({ signerPublicKey }) => signerPublicKey),
  }),
});

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
    ...declaredFields(t, transactionOf, [TRANSACTION_HEADER, EMBEDDED_HEADER].map(describedFields)),
    typeName: t.string({
      description: "Name of the transaction type, such as transfer; its number if it is unknown.",
      resolve: (entry) => transactionTypeName(transactionOf(entry).type),
    }),
    signer: keyAccountField(t, "Account of the signer's public key.", (entry) => transactionOf(entry).signerPublicKey),
    cosignatures: t.field({
      type: [CosignatureType],
      description: "Current cosignatures of an aggregate; empty for other types.",
      resolve: (entry) => transactionOf(entry).cosignatures ?? [],
    }),
    body: t.field({ type: "JSON", description: "The REST body in searches.", resolve: jsonOf }),
    document: t.string({
      description: "The REST body in searches as JSON text, without embedded transactions.",
      resolve: (entry) => entry.body,
    }),
  }));
}
