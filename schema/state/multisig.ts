import type { MultisigBody } from "../../catapult/body/multisig.js";
import {
  findMultisigGraph,
  findMultisigs,
  type MultisigEntry,
  type MultisigLevel,
} from "../../database/queries/multisigs.js";
import { builder } from "../graph/builder.js";
import { heavy } from "../graph/cost.js";
import { bodyOf } from "../graph/document.js";
import { stateDb } from "../graph/state.js";

const multisigOf = (entry: MultisigEntry) => bodyOf<MultisigBody>(entry).multisig;

export const Multisig = builder.objectRef<MultisigEntry>("Multisig").implement({
  description: "How an account takes part in multisig: who signs for it, for whom it signs.",
  fields: (t) => ({
    id: t.expose("id", { description: "Of the entry in the list.", type: "EntityId" }),
    address: t.expose("address", { description: "Of the account.", type: "Address" }),
    minApproval: t.field({
      type: "SafeInt",
      description: "Cosignatories that must sign; 0 where it has none.",
      resolve: (entry) => multisigOf(entry).minApproval,
    }),
    minRemoval: t.field({
      type: "SafeInt",
      description: "Cosignatories that must sign when one is removed.",
      resolve: (entry) => multisigOf(entry).minRemoval,
    }),
    cosignatoryAddresses: t.expose("cosignatoryAddresses", { type: ["Address"], description: "Who signs for it." }),
    multisigAddresses: t.expose("multisigAddresses", { type: ["Address"], description: "For whom it signs." }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("document", { description: "The REST body as JSON text." }),
  }),
});

const Level = builder.objectRef<MultisigLevel>("MultisigLevel").implement({
  description: "A level of a multisig graph.",
  fields: (t) => ({
    level: t.exposeInt("level", {
      description: "0 the account asked for, below 0 for whom it signs, above 0 who signs for it.",
    }),
    entries: t.field({ description: "Who is on it.", type: [Multisig], resolve: ({ entries }) => entries }),
  }),
});

builder.queryFields((t) => ({
  multisig: t.field({
    type: Multisig,
    nullable: true,
    description: "The multisig entry of an account; null for one that takes no part.",
    args: { address: t.arg({ description: "Of the account.", type: "Address", required: true }) },
    resolve: async (_root, { address }, context) => {
      const [multisig] = await findMultisigs(await stateDb(context), [address]);
      return multisig ?? null;
    },
  }),
  multisigGraph: t.field({
    extensions: heavy,
    type: [Level],
    nullable: true,
    description: "All entries above and below an account, lowest level first; null for one that takes no part.",
    args: { address: t.arg({ description: "Of the account.", type: "Address", required: true }) },
    resolve: async (_root, { address }, context) => (await findMultisigGraph(await stateDb(context), address)) ?? null,
  }),
}));
