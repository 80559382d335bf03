import { computeFee } from "../../catapult/entity/block.js";
import { decodeEntityId, encodeEntityId } from "../../catapult/json/entity-id.js";
import type { TransactionStatementBody } from "../../catapult/structs/statement.js";
import {
  findTransactionsByHashes,
  findTransactionsByIds,
  searchTransactions,
} from "../../database/queries/transactions.js";
import { given, isLimitedToTimes, timeArguments } from "../graph/arguments.js";
import { bodyOf, metaOf, transactionOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { blockField, loadersOf, transactionField } from "../graph/loaders.js";
import { makeMembers } from "../graph/members.js";
import { listArguments, readList, splitArguments } from "../graph/page.js";
import { addressIn } from "../graph/state.js";
import { Account, Transaction, TransactionPage } from "../graph/types.js";
import { limitedToTimes, timeField } from "../network/time.js";
import { withResolved } from "./resolved-body.js";
import { TransactionStatement } from "./statement.js";
import { addTransactionFields } from "./transaction-fields.js";
import {
  checkIdentifiers,
  identifierArguments,
  toTransactionFilter,
  transactionArguments,
} from "./transaction-filter.js";
import { TransactionStatusType } from "./transaction-status.js";
import { withTypes } from "./transaction-type.js";

Transaction.implement({
  description: "A confirmed transaction: a top-level one, or one embedded in an aggregate.",
  fields: (t) => ({
    id: t.expose("id", {
      description: "Id of the transaction: height, index in the block, index in the aggregate.",
      type: "EntityId",
    }),
    ...makeMembers(t, metaOf, {
      height: ["SafeInt", "Height of the block."],
      index: ["Int", "Index in the block or aggregate, from 0."],
      merkleComponentHash: ["Hash256?", "Leaf of the block's transactions tree; null for an embedded transaction."],
    }),
    timestamp: t.field({
      type: "SafeInt",
      description: "Timestamp of the block, in milliseconds since the network's epoch adjustment.",
      resolve: (entry) => Number(metaOf(entry).timestamp),
    }),
    time: timeField(t, "Time of the block.", (entry) => Number(metaOf(entry).timestamp)),
    feeMultiplier: t.field({
      type: "SafeInt",
      description: "Fee multiplier of the block: the fee paid is this times the size.",
      resolve: (entry) => metaOf(entry).feeMultiplier ?? 0,
    }),
    block: blockField(t, "Block of the transaction.", ({ id }) => decodeEntityId(id).height),
    aggregate: transactionField(
      t,
      "The aggregate that contains the transaction; null for a top-level one.",
      ({ id }) => {
        const { height, index, embeddedIndex } = decodeEntityId(id);
        return embeddedIndex === 0 ? undefined : encodeEntityId(height, index);
      },
    ),
    recipient: t.field({
      type: Account,
      nullable: true,
      description: "Resolved recipient. Null if the type has no recipient.",
      resolve: async (entry, _args, context) => {
        const { recipientAddress } = transactionOf(entry);
        if (recipientAddress === undefined) return null;
        const address = await loadersOf(context).resolveAddress(addressIn(recipientAddress), entry.id);
        return address && loadersOf(context).account.load(address);
      },
    }),
    signerAddress: t.field({
      type: "Address",
      nullable: true,
      description: "Address of the signer's public key.",
      resolve: (entry, _args, context) => loadersOf(context).addressOfKey(transactionOf(entry).signerPublicKey),
    }),
  }),
});

builder.objectFields(Transaction, (t) => ({
  resolvedRecipientAddress: t.field({
    type: "Address",
    nullable: true,
    description: "Address of the recipient, resolved. Null if the type has no recipient.",
    resolve: (entry, _args, context) => {
      const { recipientAddress } = transactionOf(entry);
      return recipientAddress === undefined
        ? null
        : loadersOf(context).resolveAddress(addressIn(recipientAddress), entry.id);
    },
  }),
  fee: t.field({
    type: "UInt64",
    nullable: true,
    description: "Paid fee, atomic units of the currency; null for an embedded transaction.",
    resolve: (entry) => {
      const { size } = transactionOf(entry);
      return size === undefined ? null : computeFee(size, metaOf(entry).feeMultiplier ?? 0);
    },
  }),
  statements: t.field({
    type: [TransactionStatement],
    description: "Receipts caused by the transaction; for an aggregate also those of its embedded transactions.",
    resolve: async ({ id }, _args, context) => {
      const { height, index, embeddedIndex } = decodeEntityId(id);
      const statements = await loadersOf(context).statements.load(encodeEntityId(height, index));
      if (embeddedIndex === 0) return statements;
      return statements.filter(
        (statement) => bodyOf<TransactionStatementBody>(statement).statement.source.secondaryId === embeddedIndex,
      );
    },
  }),
  status: t.field({
    type: TransactionStatusType,
    nullable: true,
    description: "Status of the transaction; null for an embedded transaction.",
    resolve: (entry, _args, context) => {
      const { hash } = metaOf(entry);
      return hash === undefined ? null : loadersOf(context).status.load(Buffer.from(hash, "hex"));
    },
  }),
}));

addTransactionFields(Transaction, {
  isConfirmed: true,
  embeddedIn: (entry, context) => entry.embedded ?? loadersOf(context).embedded.load(entry.id),
  resolved: withResolved,
});

builder.queryFields((t) => ({
  transactions: t.field({
    type: TransactionPage,
    description: "Confirmed transactions that match all given conditions, by their position in the chain.",
    args: {
      ...transactionArguments,
      ...timeArguments,
      ...listArguments,
    },
    resolve: async (_root, args, context) => {
      const { list, filter } = splitArguments(args);
      const { fromTime, toTime, ...rest } = given(withTypes(filter));
      const times = { fromTime, toTime };
      const wanted = toTransactionFilter(rest);
      const transactions = isLimitedToTimes(times) ? await limitedToTimes(context, wanted, times) : wanted;
      return readList(list, (request) => searchTransactions(context.db, transactions, request));
    },
  }),
  transactionsByIds: t.field({
    type: [Transaction],
    description: "Confirmed transactions by id or hash, in the order of the chain; missing ones are omitted.",
    args: identifierArguments,
    resolve: async (_root, args, { db }) => {
      const { ids, hashes } = { ids: args.ids ?? [], hashes: args.hashes ?? [] };
      checkIdentifiers(ids, hashes);
      // By far the most frequent case, in which nothing is to be put in order.
      if (ids.length === 0 && hashes.length === 1) return findTransactionsByHashes(db, hashes);
      const found = await Promise.all([findTransactionsByIds(db, ids), findTransactionsByHashes(db, hashes)]);
      const unique = new Map(found.flat().map((entry) => [entry.id.toString("hex"), entry]));
      return [...unique.values()].sort((a, b) => a.id.compare(b.id));
    },
  }),
}));
