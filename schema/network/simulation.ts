import type { SimulationBody } from "../../catapult/body/simulation.js";
import { builder } from "../graph/builder.js";
import { costs } from "../graph/cost.js";
import { invalidArgument } from "../services/errors.js";

/** Transactions of one simulation. */
export const MAX_SIMULATED = 20;

type Fee = SimulationBody["fee"];
type Balance = SimulationBody["balances"][number];
type Entry = SimulationBody["entries"][number];
type Missing = SimulationBody["missingCosignatures"][number];

const FeeType = builder.objectRef<Fee>("SimulatedFee").implement({
  description: "Fee of a simulated transaction, in atomic units of the currency.",
  fields: (t) => ({
    size: t.expose("size", { type: "SafeInt", description: "Size in bytes, with the cosignatures still missing." }),
    maxFee: t.expose("maxFee", { type: "UInt64", description: "Maximum fee of the transaction." }),
    feeMultiplier: t.expose("feeMultiplier", {
      type: "SafeInt",
      description: "Median fee multiplier of the latest blocks.",
    }),
    expected: t.expose("expected", { type: "UInt64", description: "Fee at this multiplier, at most the maximum fee." }),
    minimum: t.expose("minimum", {
      type: "UInt64",
      description: "Lowest maximum fee that the node accepts for this size.",
    }),
  }),
});

const BalanceType = builder.objectRef<Balance>("SimulatedBalance").implement({
  description: "Balance that a simulated transaction changes, its fee included.",
  fields: (t) => ({
    address: t.exposeString("address", { description: "Address of the account as hex digits." }),
    mosaicId: t.expose("mosaicId", { type: "ArtifactId", description: "Id of the mosaic." }),
    before: t.expose("before", { type: "UInt64", description: "Amount before the transaction." }),
    after: t.expose("after", { type: "UInt64", description: "Amount after the transaction." }),
  }),
});

const EntryType = builder.objectRef<Entry>("SimulatedEntry").implement({
  description: "Entry of the state that a simulated transaction changes.",
  fields: (t) => ({
    kind: t.exposeString("kind", { description: "Kind of the entry, such as account or hashLock." }),
    key: t.exposeString("key", { description: "Key of the entry: an address, an id, or a composite hash." }),
    change: t.exposeString("change", { description: "What happens to the entry: created, changed or removed." }),
  }),
});

const MissingType = builder.objectRef<Missing>("MissingCosignature").implement({
  description: "Approval that an aggregate lacks.",
  fields: (t) => ({
    address: t.exposeString("address", { description: "Address of the account whose approval is missing." }),
    needed: t.expose("needed", { type: "SafeInt", description: "Number of cosigners that still have to sign for it." }),
    cosigners: t.exposeStringList("cosigners", {
      description: "Addresses whose signature counts: the account itself, or its cosignatories.",
    }),
  }),
});

const SimulationType = builder.objectRef<SimulationBody>("Simulation").implement({
  description: "What would happen to a transaction in the next block.",
  fields: (t) => ({
    hash: t.expose("hash", { type: "Hash256", description: "Hash of the transaction." }),
    code: t.exposeString("code", { description: "Status code: Success, or why a node would reject it." }),
    reason: t.string({
      nullable: true,
      description: "The invalid field in words, if no state is needed to see it.",
      resolve: ({ reason }) => reason ?? null,
    }),
    height: t.field({
      type: "SafeInt",
      description: "Height of the block on which the transaction was tried.",
      resolve: ({ height }) => Number(height),
    }),
    fee: t.expose("fee", { type: FeeType, description: "Fee of the transaction." }),
    balances: t.field({
      type: [BalanceType],
      description: "Balances that the transaction changes.",
      resolve: ({ balances }) => [...balances],
    }),
    entries: t.field({
      type: [EntryType],
      description: "Entries of the state that the transaction changes.",
      resolve: ({ entries }) => [...entries],
    }),
    missingCosignatures: t.field({
      type: [MissingType],
      description: "Approvals that an aggregate lacks.",
      resolve: ({ missingCosignatures }) => [...missingCosignatures],
    }),
    hasLock: t.boolean({
      nullable: true,
      description: "Whether the hash lock of a bonded aggregate is there; null for others, and for unsigned ones.",
      resolve: ({ hasLock }) => hasLock ?? null,
    }),
    document: t.string({
      description: "The REST body as JSON text, which has the receipts too.",
      resolve: (simulation) => JSON.stringify(simulation),
    }),
  }),
});

builder.queryFields((t) => ({
  simulate: t.field({
    type: [SimulationType],
    extensions: costs({ each: 24_000 }),
    description:
      "What would happen to transactions in the next block, each after those before it. Nothing is announced.",
    args: {
      payloads: t.arg({
        type: ["Hex"],
        required: true,
        description: `Payloads of whole transactions, at most ${MAX_SIMULATED}.`,
      }),
      unsigned: t.arg.boolean({
        defaultValue: false,
        description: "Whether they are yet to be signed: signatures are not verified, missing ones only named.",
      }),
    },
    resolve: (_root, { payloads, unsigned }, { db, trials }) => {
      if (payloads.length === 0 || payloads.length > MAX_SIMULATED) {
        throw invalidArgument(`payloads must have 1 to ${MAX_SIMULATED} entries, not ${payloads.length}`, "payloads");
      }
      return trials.simulate(db, payloads, unsigned ?? false);
    },
  }),
}));
