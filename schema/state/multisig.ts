import type { MultisigBody } from "../../catapult/body/multisig.js";
import {
  findMultisigGraph,
  findMultisigs,
  type MultisigEntry,
  type MultisigLevel,
} from "../../database/queries/multisigs.js";
import { bodyOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { heavy } from "../graph/cost.js";
import { stateDb } from "../graph/state.js";

const multisigOf = (entry: MultisigEntry) => bodyOf<MultisigBody>(entry).multisig;

export const Multisig = builder.objectRef<MultisigEntry>("Multisig").implement({
  description: "Multisig entry of an account: its cosignatories, and the accounts that it cosigns for.",
  fields: (t) => ({
    id: t.expose("id", { description: "Id of the entry in the list.", type: "EntityId" }),
    address: t.expose("address", { description: "Address of the account.", type: "Address" }),
    minApproval: t.field({
      type: "SafeInt",
      description: "Number of required cosignatories; 0 if it has none.",
      resolve: (entry) => multisigOf(entry).minApproval,
    }),
    minRemoval: t.field({
      type: "SafeInt",
      description: "Number of required cosignatories for removing one.",
      resolve: (entry) => multisigOf(entry).minRemoval,
    }),
    cosignatoryAddresses: t.expose("cosignatoryAddresses", {
      type: ["Address"],
      description: "Addresses of its cosignatories.",
    }),
    multisigAddresses: t.expose("multisigAddresses", {
      type: ["Address"],
      description: "Addresses of the accounts that it cosigns for.",
    }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("body", { description: "The REST body as JSON text." }),
  }),
});

const Level = builder.objectRef<MultisigLevel>("MultisigLevel").implement({
  description: "A level of a multisig graph.",
  fields: (t) => ({
    level: t.exposeInt("level", {
      description:
        "Level: 0 for the requested account, below 0 for accounts that it cosigns for, above 0 for its cosignatories.",
    }),
    entries: t.field({ description: "Entries of the level.", type: [Multisig], resolve: ({ entries }) => entries }),
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
    extensions: heavy,
    type: [Level],
    nullable: true,
    description: "All entries above and below an account, lowest level first; null if it has none.",
    args: { address: t.arg({ description: "Address of the account.", type: "Address", required: true }) },
    resolve: async (_root, { address }, context) => (await findMultisigGraph(await stateDb(context), address)) ?? null,
  }),
}));
