import type { AccountRestrictionBody, AccountRestrictionsBody } from "../../catapult/body/account-restriction.js";
import type { Entry } from "../../database/lists/page.js";
import { findAccountRestrictions, searchAccountRestrictions } from "../../database/queries/account-restrictions.js";
import { given } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { bodyOf } from "../graph/document.js";
import { listArguments, pageType, readList, splitArguments } from "../graph/page.js";
import { addressIn, checkKeys, MAX_LARGE_KEYS, stateDb } from "../graph/state.js";

const FLAG = { address: 0x0001, outgoing: 0x4000, block: 0x8000 } as const;

const has = ({ restrictionFlags }: AccountRestrictionBody, flag: number) => (restrictionFlags & flag) !== 0;

/** Addresses and mosaic ids are hex digits, transaction types numbers. */
const valuesOf = ({ values }: AccountRestrictionBody): readonly (string | number)[] => values;

const RestrictionType = builder.objectRef<AccountRestrictionBody>("AccountRestriction").implement({
  description: "A list of what an account allows or blocks; it has values of one kind.",
  fields: (t) => ({
    flags: t.exposeInt("restrictionFlags", {
      description: "Bits: 1 addresses, 2 mosaics, 4 transaction types, 16384 outgoing, 32768 blocked.",
    }),
    isBlocked: t.boolean({
      description: "Whether the values are blocked; otherwise only they are allowed.",
      resolve: (restriction) => has(restriction, FLAG.block),
    }),
    isOutgoing: t.boolean({
      description: "Whether it is about what the account sends; otherwise what it gets.",
      resolve: (restriction) => has(restriction, FLAG.outgoing),
    }),
    addresses: t.field({
      description: "The addresses, if it has some.",
      type: ["Address"],
      resolve: (restriction) =>
        has(restriction, FLAG.address) ? valuesOf(restriction).map((value) => addressIn(String(value))) : [],
    }),
    mosaicIds: t.field({
      description: "The mosaics, if it has some.",
      type: ["ArtifactId"],
      resolve: (restriction) =>
        has(restriction, FLAG.address) ? [] : valuesOf(restriction).filter((value) => typeof value === "string"),
    }),
    transactionTypes: t.intList({
      description: "The types, if it has some: such as 16724 for a transfer.",
      resolve: (restriction) => valuesOf(restriction).filter((value) => typeof value === "number"),
    }),
  }),
});

export const AccountRestrictions = builder.objectRef<Entry>("AccountRestrictions").implement({
  description: "What an account allows or blocks.",
  fields: (t) => ({
    id: t.expose("id", { description: "Of the entry in the list.", type: "EntityId" }),
    address: t.field({
      description: "Whose they are.",
      type: "Address",
      resolve: (entry) => addressIn(bodyOf<AccountRestrictionsBody>(entry).accountRestrictions.address),
    }),
    restrictions: t.field({
      description: "Each list by itself.",
      type: [RestrictionType],
      resolve: (entry) => bodyOf<AccountRestrictionsBody>(entry).accountRestrictions.restrictions,
    }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("document", { description: "The REST body as JSON text." }),
  }),
});

export const AccountRestrictionsPage = pageType("AccountRestrictionsPage", AccountRestrictions);

builder.queryFields((t) => ({
  accountRestrictionsByAddresses: t.field({
    type: [AccountRestrictions],
    description: "Restrictions of accounts, in the order asked; accounts without any are left out.",
    args: { addresses: t.arg({ description: "At most 100.", type: ["Address"], required: true }) },
    resolve: async (_root, { addresses }, context) => {
      checkKeys("addresses", addresses, MAX_LARGE_KEYS);
      return findAccountRestrictions(await stateDb(context), addresses);
    },
  }),
  accountRestrictions: t.field({
    type: AccountRestrictionsPage,
    description: "Restrictions of accounts by the order in which they came.",
    args: { address: t.arg({ description: "Of this account.", type: "Address" }), ...listArguments },
    resolve: async (_root, args, context) => {
      const { list, filter } = splitArguments(args);
      return readList(list, async (request) =>
        searchAccountRestrictions(await stateDb(context), given(filter), request),
      );
    },
  }),
}));
