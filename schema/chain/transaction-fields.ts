import type { ObjectRef } from "@pothos/core";
import { withEmbedded } from "../../catapult/json/transaction.js";
import { EMBEDDED_HEADER, TRANSACTION_HEADER } from "../../catapult/structs/header.js";
import { describedFields } from "../../catapult/values/struct.js";
import type { Entry } from "../../database/lists/page.js";
import { metaOf, type TransactionFields, transactionOf } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { type Context, onceFor } from "../graph/context.js";
import { parseId } from "../graph/formats.js";
import { keyAccountField, loadersOf } from "../graph/loaders.js";
import { declaredFields, makeMembers, members } from "../graph/members.js";
import { JsonText } from "../graph/scalars.js";
import { Mosaic } from "../graph/types.js";
import { deadlineField } from "../network/time.js";
import { TransactionContent } from "./transaction-content.js";
import { typeNameField } from "./transaction-type.js";

type MosaicAmount = NonNullable<TransactionFields["mosaics"]>[number];

/** With the transaction that contains it (12 bytes), to resolve an alias; undefined if it is pending. */
interface CarriedAmount extends MosaicAmount {
  readonly transactionId: Buffer | undefined;
}

const MosaicAmountType = builder.objectRef<CarriedAmount>("MosaicAmount").implement({
  description: "An amount of a mosaic.",
  fields: (t) => ({
    ...members(t, {
      id: ["ArtifactId", "Id as in the transaction: of a mosaic, or of a namespace that points to it."],
      amount: ["UInt64", "Amount in atomic units."],
    }),
    mosaic: t.field({
      type: Mosaic,
      nullable: true,
      description: "Resolved mosaic; null for an alias in a pending transaction.",
      resolve: async ({ id, transactionId }, _args, context) => {
        const mosaicId = await loadersOf(context).resolveMosaic(parseId(id) ?? 0n, transactionId);
        return mosaicId === undefined ? null : loadersOf(context).mosaic.load(mosaicId);
      },
    }),
  }),
});

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

/** What confirmed and pending transactions differ in. */
interface Group<Item> {
  readonly isConfirmed: boolean;
  /** Reads the embedded transactions of an aggregate, in order. */
  readonly embeddedIn: (entry: Item, context: Context) => readonly Item[] | Promise<readonly Item[]>;
  /** Adds to a REST body what its namespaces pointed to. */
  readonly resolved?: (entry: Item, body: string, context: Context) => Promise<string>;
}

interface BodyArguments {
  readonly embedded?: boolean | null | undefined;
  readonly resolved?: boolean | null | undefined;
}

/** Of one operation: aliases request the same one again. */
const wholeBodies = onceFor(() => new Map<Entry, Promise<string>>());

/** Adds the fields that confirmed and pending transactions have in common. */
export function addTransactionFields<Item extends Entry>(
  type: ObjectRef<SchemaTypes, Item>,
  { isConfirmed, embeddedIn, resolved }: Group<Item>,
): void {
  async function readWhole(entry: Item, context: Context): Promise<string> {
    const inside = await embeddedIn(entry, context);
    if (inside.length === 0) return entry.body;
    return withEmbedded(
      entry.body,
      inside.map(({ body }) => body),
    );
  }
  function wholeBody(entry: Item, context: Context): Promise<string> {
    const body = wholeBodies(context).get(entry) ?? readWhole(entry, context);
    wholeBodies(context).set(entry, body);
    return body;
  }
  builder.objectFields(type, (t) => ({
    ...makeMembers(t, metaOf, {
      hash: ["Hash256?", "Hash of the transaction; null for an embedded transaction."],
      aggregateId: ["EntityId?", "Id of the aggregate; for an embedded transaction only."],
      aggregateHash: ["Hash256?", "Hash of the aggregate; for an embedded transaction only."],
    }),
    ...makeMembers(t, transactionOf, {
      recipientAddress: ["Address?", "Recipient as in the transaction: not resolved. Null if the type has none."],
    }),
    ...declaredFields(t, transactionOf, [TRANSACTION_HEADER, EMBEDDED_HEADER].map(describedFields)),
    typeName: t.field(typeNameField((entry: Item) => transactionOf(entry).type)),
    signer: keyAccountField(t, "Account of the signer's public key.", (entry) => transactionOf(entry).signerPublicKey),
    cosignatures: t.field({
      type: [CosignatureType],
      description: "Current cosignatures of an aggregate; empty for other types.",
      resolve: (entry) => transactionOf(entry).cosignatures ?? [],
    }),
    deadlineTime: deadlineField(t, (entry) => transactionOf(entry).deadline),
    mosaics: t.field({
      type: [MosaicAmountType],
      nullable: true,
      description: "Mosaics of a transfer; null for other types.",
      resolve: (entry) => {
        const transactionId = isConfirmed ? entry.id : undefined;
        return transactionOf(entry).mosaics?.map((mosaic) => ({ ...mosaic, transactionId }));
      },
    }),
    content: t.field({
      type: TransactionContent,
      description: "Fields that are specific to the transaction type.",
      resolve: (entry) => ({ entry, isConfirmed }),
    }),
    embedded: t.field({
      type: [type],
      description: "Embedded transactions of an aggregate, in order.",
      // Pothos cannot infer that a type parameter is not a list.
      resolve: (entry, _args, context) => embeddedIn(entry, context) as never,
    }),
    body: t.field({
      type: "JSON",
      description: "The REST body: that in searches, unless it is asked with what is inside an aggregate.",
      args: {
        embedded: t.arg.boolean({
          defaultValue: false,
          description: "Adds the embedded transactions of an aggregate.",
        }),
        ...(resolved && {
          resolved: t.arg.boolean({
            defaultValue: false,
            description: "Adds accounts and mosaics in place of namespaces as `meta.resolved`.",
          }),
        }),
      },
      resolve: async (entry, args: BodyArguments, context) => {
        const body = args.embedded ? await wholeBody(entry, context) : entry.body;
        return new JsonText(args.resolved && resolved ? await resolved(entry, body, context) : body);
      },
    }),
  }));
}
