import {
  findTransactionStatuses,
  renderTransactionStatus,
  type TransactionStatus,
} from "../../database/mempool/transaction-statuses.js";
import { builder } from "../graph/builder.js";
import { checkKeys } from "../graph/state.js";

const GroupType = builder.enumType("TransactionGroup", {
  description: "How far a transaction has come.",
  values: {
    confirmed: { value: "confirmed", description: "It is in a block." },
    unconfirmed: { value: "unconfirmed", description: "It waits for a block." },
    partial: { value: "partial", description: "It waits for cosignatures." },
    failed: { value: "failed", description: "The node refused it." },
  } as const,
});

export const TransactionStatusType = builder.objectRef<TransactionStatus>("TransactionStatus").implement({
  description: "What has become of a transaction.",
  fields: (t) => ({
    group: t.expose("group", { description: "How far it has come.", type: GroupType }),
    code: t.exposeString("code", { description: "Success, or why the node refused it." }),
    hash: t.expose("hash", { description: "Of the transaction.", type: "Hash256" }),
    deadline: t.expose("deadline", {
      type: "UInt64",
      description: "Milliseconds since the network's epoch adjustment.",
    }),
    height: t.field({
      type: "SafeInt",
      nullable: true,
      description: "0 while it is in no block; null for one that failed.",
      resolve: ({ height }) => height ?? null,
    }),
    document: t.string({ description: "The REST body as JSON text.", resolve: renderTransactionStatus }),
  }),
});

builder.queryFields((t) => ({
  transactionStatuses: t.field({
    type: [TransactionStatusType],
    description: "What has become of transactions, in the order asked; those that nobody has heard of are left out.",
    args: { hashes: t.arg({ description: "At most 1000.", type: ["Hash256"], required: true }) },
    resolve: (_root, { hashes }, { db }) => {
      checkKeys("hashes", hashes);
      const unique = new Map(hashes.map((hash) => [hash.toString("hex"), hash]));
      return findTransactionStatuses(db, [...unique.values()]);
    },
  }),
}));
