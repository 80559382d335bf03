import type { AccountRestrictionBody } from "../../catapult/state/account-restriction.js";
import { RESTRICTION_FLAG } from "../../catapult/state/account-restriction.js";
import { accountRestrictions } from "../../database/queries/state-lists.js";
import { accountRestrictionsOf, entryFields } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { accountField } from "../graph/loaders.js";
import { makeMembers } from "../graph/members.js";
import { pageType } from "../graph/page.js";
import { addressIn, stateQueries } from "../graph/state.js";
import { AccountRestrictions } from "../graph/types.js";

const has = ({ restrictionFlags }: AccountRestrictionBody, flag: number) => (restrictionFlags & flag) !== 0;

const RestrictionType = builder.objectRef<AccountRestrictionBody>("AccountRestriction").implement({
  description: "A list of values that an account allows or blocks; it has values of one kind.",
  fields: (t) => ({
    flags: t.exposeInt("restrictionFlags", {
      description: "Bits: 1 addresses, 2 mosaics, 4 transaction types, 16384 outgoing, 32768 blocked.",
    }),
    isBlocked: t.boolean({
      description: "Whether the values are blocked; otherwise only they are allowed.",
      resolve: (restriction) => has(restriction, RESTRICTION_FLAG.block),
    }),
    isOutgoing: t.boolean({
      description: "Whether it applies to outgoing transactions; otherwise to incoming ones.",
      resolve: (restriction) => has(restriction, RESTRICTION_FLAG.outgoing),
    }),
    addresses: t.field({
      description: "Restricted addresses, if this is their kind.",
      type: ["Address"],
      resolve: (restriction) =>
        has(restriction, RESTRICTION_FLAG.address) ? restriction.values.map((value) => addressIn(String(value))) : [],
    }),
    mosaicIds: t.field({
      description: "Restricted mosaics, if this is their kind.",
      type: ["ArtifactId"],
      resolve: (restriction) =>
        has(restriction, RESTRICTION_FLAG.address)
          ? []
          : restriction.values.filter((value) => typeof value === "string"),
    }),
    transactionTypes: t.intList({
      description: "Restricted transaction types, if this is their kind: such as 16724 for a transfer.",
      resolve: ({ values }) => values.filter((value) => typeof value === "number"),
    }),
  }),
});

AccountRestrictions.implement({
  description: "Restrictions of an account.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
    ...makeMembers(t, accountRestrictionsOf, {
      address: ["Address", "Address of the account."],
      restrictions: [[RestrictionType], "Restrictions by kind."],
    }),
    account: accountField(t, "Account with the restrictions.", (entry) => accountRestrictionsOf(entry).address),
  }),
});

const AccountRestrictionsPage = pageType("AccountRestrictionsPage", AccountRestrictions);

stateQueries(accountRestrictions, AccountRestrictions, AccountRestrictionsPage);
