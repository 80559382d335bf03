import { findMatchingTransactions, type TransactionMatches } from "../../database/queries/transaction-search.js";
import { invalidArgument } from "../errors/errors.js";
import { checkTypes, given } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { checkKeys } from "../graph/state.js";
import { Transaction } from "../graph/types.js";

const DEFAULT_FIRST = 20;
const MAX_FIRST = 100;

const Match = builder.enumType("ConditionMatch", {
  description: "How conditions are combined.",
  values: {
    all: { value: "all", description: "Every condition matches." },
    any: { value: "any", description: "At least one condition matches." },
  } as const,
});

const Matches = builder.objectRef<TransactionMatches>("TransactionMatches").implement({
  description: "Transactions that match, the newest first.",
  fields: (t) => ({
    total: t.expose("total", { type: "SafeInt", description: "Exact number of all matches." }),
    data: t.field({
      type: [Transaction],
      description: "The requested ones: fewer if they are large.",
      resolve: ({ data }) => [...data],
    }),
  }),
});

builder.queryField("matchingTransactions", (t) =>
  t.field({
    type: Matches,
    description:
      "Top-level transactions whose own or embedded content matches the given conditions, the newest first. Without " +
      "conditions all of them.",
    args: {
      match: t.arg({ description: "How the conditions are combined.", type: Match, required: true }),
      hash: t.arg({ description: "Hash of the transaction.", type: "Hash256" }),
      addresses: t.arg({
        description: "Addresses of accounts that the transaction concerns: one condition each.",
        type: ["Address"],
      }),
      mosaicId: t.arg({ description: "Id of a mosaic that it transfers.", type: "ArtifactId" }),
      types: t.arg.intList({ description: "Types of which the transaction, or one embedded in it, has one." }),
      isCosigned: t.arg.boolean({
        description:
          "True for the condition that it is an aggregate with cosignatures, or acts for others than its signer.",
      }),
      toHeight: t.arg({ description: "Maximum height of its block, in addition to the conditions.", type: "SafeInt" }),
      skip: t.arg({ description: "Number of matches to leave out, by default 0.", type: "SafeInt" }),
      first: t.arg.int({
        description: `Number of matches: 1 to ${MAX_FIRST}, by default ${DEFAULT_FIRST}.`,
      }),
    },
    resolve: (_root, { first, skip, match, ...args }, { db }) => {
      const count = first ?? DEFAULT_FIRST;
      if (count < 1 || count > MAX_FIRST) throw invalidArgument(`first must be from 1 to ${MAX_FIRST}, not ${count}`);
      checkTypes("types", args.types ?? undefined);
      checkKeys("addresses", args.addresses ?? [], 2);
      return findMatchingTransactions(db, { match, ...given(args) }, { first: count, skip: skip ?? 0 });
    },
  }),
);
