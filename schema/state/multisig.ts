import { MULTISIG_BODY } from "../../catapult/state/multisig.js";
import { findMultisigGraph, findMultisigs, type MultisigLevel } from "../../database/queries/multisigs.js";
import { entryFields, multisigOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { accountField, loadersOf } from "../graph/loaders.js";
import { declaredFields, members } from "../graph/members.js";
import { stateDb } from "../graph/state.js";
import { Multisig } from "../graph/types.js";

async function entriesOf(addresses: readonly Buffer[], context: Context) {
  const entries = await Promise.all(addresses.map((address) => loadersOf(context).multisig.load(address)));
  return entries.filter((entry) => entry !== undefined);
}

Multisig.implement({
  description: "Multisig entry of an account: its cosignatories, and the accounts that it cosigns for.",
  fields: (t) => ({
    ...entryFields(t, "Id of the entry in the list."),
    ...declaredFields(t, multisigOf, [MULTISIG_BODY.described], { accountAddress: "address" }),
    account: accountField(t, "The account itself.", ({ state }) => state.accountAddress),
    multisigs: t.field({
      type: [Multisig],
      description: "Multisig entries of the accounts that it cosigns for.",
      resolve: ({ state }, _args, context) => entriesOf(state.multisigAddresses, context),
    }),
    cosignatories: t.field({
      type: [Multisig],
      description: "Multisig entries of its cosignatories.",
      resolve: ({ state }, _args, context) => entriesOf(state.cosignatoryAddresses, context),
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
