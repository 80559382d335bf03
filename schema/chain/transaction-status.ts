import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { renderTransactionMessage } from "../../catapult/json/transaction.js";
import { renderTransactionStatus } from "../../catapult/json/transaction-status.js";
import { findAnnouncedPayload } from "../../database/mempool/announcements.js";
import { findTransactionStatuses, type TransactionStatus } from "../../database/mempool/transaction-statuses.js";
import { networkOf } from "../dry-runs/network-rules.js";
import { bodyField } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { hashTransactionField } from "../graph/loaders.js";
import { members } from "../graph/members.js";
import { checkKeys } from "../graph/state.js";
import { deadlineField } from "../network/time.js";

const GroupType = builder.enumType("TransactionGroup", {
  description: "State of a transaction.",
  values: {
    confirmed: { value: "confirmed", description: "The transaction is in a block." },
    unconfirmed: { value: "unconfirmed", description: "The transaction is pending for a block." },
    partial: { value: "partial", description: "The transaction is pending for cosignatures." },
    failed: { value: "failed", description: "The transaction was rejected or has expired." },
  } as const,
});

const WaitsForType = builder.enumType("WaitsFor", {
  description: "What an announced transaction waits for that no node has reported yet.",
  values: {
    lock: {
      value: "lock",
      description: "A bonded aggregate: its hash lock in a block. It is pushed to the node then.",
    },
    node: { value: "node", description: "A report of the node, to which it was pushed or will be." },
  } as const,
});

export const TransactionStatusType = builder.objectRef<TransactionStatus>("TransactionStatus").implement({
  description: "Status of a transaction.",
  fields: (t) => ({
    ...members(t, {
      group: [GroupType, "State of the transaction."],
      code: ["String", "Status code: Success, or the reason of the rejection."],
      hash: ["Hash256", "Hash of the transaction."],
      deadline: ["UInt64", "Deadline in milliseconds since the network's epoch adjustment."],
      height: ["SafeInt?", "Height of the block; 0 while it is in no block, null if it failed."],
    }),
    deadlineTime: deadlineField(t, ({ deadline }) => deadline),
    held: t.boolean({
      description:
        "Whether no node shows it: it was announced here and is not reported yet, or it is a partial aggregate that the " +
        "node has forgotten, and is pushed again. The group is the one it would have.",
      resolve: ({ held }) => held === true,
    }),
    waitsFor: t.field({
      type: WaitsForType,
      nullable: true,
      description: "What a held one waits for; null for any other.",
      resolve: ({ waitsFor }) => waitsFor ?? null,
    }),
    announced: t.field({
      type: "JSON",
      nullable: true,
      description:
        "Of one that failed: the transaction as it was announced here, in the form of messages; null if it was not, or is forgotten.",
      resolve: async ({ group, hash }, _args, context) => {
        const payload = group === "failed" ? await findAnnouncedPayload(context.db, hash) : undefined;
        if (!payload) return null;
        return JSON.parse(renderTransactionMessage(decodeTransaction(payload, await networkOf(context)), 0));
      },
    }),
    body: bodyField(t, renderTransactionStatus),
    transaction: hashTransactionField(t, "The transaction itself; null while it is pending.", ({ hash }) => hash),
  }),
});

builder.queryFields((t) => ({
  transactionStatuses: t.field({
    type: [TransactionStatusType],
    description: "Statuses of transactions, in the order of the request; unknown ones are omitted.",
    args: {
      hashes: t.arg({ description: "Hashes of transactions, at most 1000.", type: ["Hash256"], required: true }),
    },
    resolve: (_root, { hashes }, { db }) => {
      checkKeys("hashes", hashes);
      const unique = new Map(hashes.map((hash) => [hash.toString("hex"), hash]));
      return findTransactionStatuses(db, [...unique.values()]);
    },
  }),
}));
