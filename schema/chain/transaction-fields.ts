import type { ObjectRef } from "@pothos/core";
import type { AnyOf } from "../../catapult/body/scalars.js";
import type { AnyTransactionBody } from "../../catapult/body/transaction.js";
import type { Entry } from "../../database/lists/page.js";
import { bodyOf } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";

type Meta = AnyOf<AnyTransactionBody["meta"]>;
export type TransactionFields = AnyOf<AnyTransactionBody["transaction"]>;

/** What the REST body of a transaction says about its place. */
export const metaOf = (entry: Entry) => bodyOf<AnyTransactionBody>(entry).meta as Meta;
/** The content of the REST body of a transaction. */
export const transactionOf = (entry: Entry) => bodyOf<AnyTransactionBody>(entry).transaction as TransactionFields;

/** Adds the fields that confirmed and pending transactions have in common. */
export function addTransactionFields<Item extends Entry>(type: ObjectRef<SchemaTypes, Item>): void {
  builder.objectFields(type, (t) => ({
    hash: t.field({
      type: "Hash256",
      nullable: true,
      description: "Hash of the transaction; null for an embedded transaction.",
      resolve: (entry) => metaOf(entry).hash,
    }),
    aggregateId: t.field({
      description: "Id of the aggregate; for an embedded transaction only.",
      type: "EntityId",
      nullable: true,
      resolve: (entry) => metaOf(entry).aggregateId,
    }),
    aggregateHash: t.field({
      description: "Hash of the aggregate; for an embedded transaction only.",
      type: "Hash256",
      nullable: true,
      resolve: (entry) => metaOf(entry).aggregateHash,
    }),
    type: t.int({
      description: "Transaction type, such as 16724 for a transfer.",
      resolve: (entry) => transactionOf(entry).type,
    }),
    version: t.int({ description: "Version of the type's layout.", resolve: (entry) => transactionOf(entry).version }),
    network: t.int({ description: "104 main, 152 test.", resolve: (entry) => transactionOf(entry).network }),
    signerPublicKey: t.field({
      description: "Public key of the signer; for an embedded transaction that of the account it acts for.",
      type: "PublicKey",
      resolve: (entry) => transactionOf(entry).signerPublicKey,
    }),
    recipientAddress: t.field({
      type: "Address",
      nullable: true,
      description: "Recipient as in the transaction: not resolved. Null if the type has none.",
      resolve: (entry) => {
        const { recipientAddress } = transactionOf(entry);
        return recipientAddress === undefined ? null : Buffer.from(recipientAddress, "hex");
      },
    }),
    maxFee: t.field({
      type: "UInt64",
      nullable: true,
      description: "Maximum fee, atomic units of the currency mosaic; null for an embedded transaction.",
      resolve: (entry) => transactionOf(entry).maxFee,
    }),
    signature: t.field({
      type: "Signature",
      nullable: true,
      description: "Signature by the signer; null for an embedded transaction.",
      resolve: (entry) => transactionOf(entry).signature,
    }),
    size: t.int({ nullable: true, description: "Bytes.", resolve: (entry) => transactionOf(entry).size }),
    body: t.field({ type: "JSON", description: "The REST body in searches.", resolve: (entry) => bodyOf(entry) }),
    document: t.string({
      description: "The REST body in searches as JSON text, without embedded transactions.",
      resolve: (entry) => entry.body,
    }),
  }));
}
