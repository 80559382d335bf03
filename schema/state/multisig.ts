import type { MultisigBody } from "../../catapult/body/multisig.js";
import {
  findMultisigGraph,
  findMultisigs,
  type MultisigEntry,
  type MultisigLevel,
} from "../../database/queries/multisigs.js";
import { bodyOf, entryFields } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { members, membersOf } from "../graph/members.js";
import { stateDb } from "../graph/state.js";

const multisigOf = (entry: MultisigEntry) => bodyOf<MultisigBody>(entry).multisig;

export const Multisig = builder.objectRef<MultisigEntry>("Multisig").implement({
  description: "Multisig entry of an account: its cosignatories, and the accounts that it cosigns for.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
    ...members(t, {
      address: ["Address", "Address of the account."],
      cosignatoryAddresses: [["Address"], "Addresses of its cosignatories."],
      multisigAddresses: [["Address"], "Addresses of the accounts that it cosigns for."],
    }),
    ...membersOf(t, multisigOf, {
      minApproval: ["SafeInt", "Number of required cosignatories; 0 if it has none."],
      minRemoval: ["SafeInt", "Number of required cosignatories for removing one."],
    }),
  }),
});

const Level = builder.objectRef<MultisigLevel>("MultisigLevel").implement({
  description: "A level of a multisig graph.",
  fields: (t) =>
    members(t, {
      level: [
        "Int",
        "Level: 0 for the requested account, below 0 for accounts that it cosigns for, above 0 for its cosignatories.",
      ],
      entries: [[Multisig], "Entries of the level."],
    }),
});

builder.queryFields((t) => ({
  multisig: t.field({
    type: Multisig,
    nullable: true,
    description: "The multisig entry of an account; null if it has none.",
    args: { address: t.arg({ description: "Address of the account.", type: "Address", required: true }) },
    resolve: async (_root, { address }, context) => {
      const [multisig] = await findMultisigs(await stateDb(context), [address]);
      return multisig ?? null;
    },
  }),
  multisigGraph: t.field({
    type: [Level],
    nullable: true,
    description: "All entries above and below an account, lowest level first; null if it has none.",
    args: { address: t.arg({ description: "Address of the account.", type: "Address", required: true }) },
    resolve: async (_root, { address }, context) => (await findMultisigGraph(await stateDb(context), address)) ?? null,
  }),
}));
