import type { SimulationBody } from "../../catapult/json/simulation.js";
import { invalidArgument } from "../errors/errors.js";
import { bodyField } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { members } from "../graph/members.js";

/** Transactions of one simulation. */
export const MAX_SIMULATED = 20;

type Fee = SimulationBody["fee"];
type Balance = SimulationBody["balances"][number];
type Entry = SimulationBody["entries"][number];
type Missing = SimulationBody["missingCosignatures"][number];

const FeeType = builder.objectRef<Fee>("SimulatedFee").implement({
  description: "Fee of a simulated transaction, in atomic units of the currency.",
  fields: (t) =>
    members(t, {
      size: ["SafeInt", "Size in bytes, with the cosignatures still missing."],
      maxFee: ["UInt64", "Maximum fee of the transaction."],
      feeMultiplier: ["SafeInt", "Median fee multiplier of the latest blocks."],
      expected: ["UInt64", "Fee at this multiplier, at most the maximum fee."],
      minimum: ["UInt64", "Lowest maximum fee that the node accepts for this size."],
    }),
});

const BalanceType = builder.objectRef<Balance>("SimulatedBalance").implement({
  description: "Balance that a simulated transaction changes, its fee included.",
  fields: (t) =>
    members(t, {
      address: ["String", "Address of the account as hex digits."],
      mosaicId: ["ArtifactId", "Id of the mosaic."],
      before: ["UInt64", "Amount before the transaction."],
      after: ["UInt64", "Amount after the transaction."],
    }),
});

const EntryType = builder.objectRef<Entry>("SimulatedEntry").implement({
  description: "Entry of the state that a simulated transaction changes.",
  fields: (t) =>
    members(t, {
      kind: ["String", "Kind of the entry, such as account or hashLock."],
      key: ["String", "Key of the entry: an address, an id, or a composite hash."],
      change: ["String", "What happens to the entry: created, changed or removed."],
    }),
});

const MissingType = builder.objectRef<Missing>("MissingCosignature").implement({
  description: "Approval that an aggregate lacks.",
  fields: (t) => ({
    ...members(t, {
      address: ["String", "Address of the account whose approval is missing."],
      needed: ["SafeInt", "Number of cosigners that still have to sign for it."],
    }),
    cosigners: t.exposeStringList("cosigners", {
      description: "Addresses whose signature counts: the account itself, or its cosignatories.",
    }),
  }),
});

const SimulationType = builder.objectRef<SimulationBody>("Simulation").implement({
  description: "What would happen to a transaction in the next block.",
  fields: (t) => ({
    ...members(t, {
      hash: ["Hash256", "Hash of the transaction."],
      code: ["String", "Status code: Success, or why a node would reject it."],
      reason: ["String?", "The invalid field in words, if no state is needed to see it."],
      height: ["SafeInt", "Height of the block on which the transaction was tried."],
      fee: [FeeType, "Fee of the transaction."],
      balances: [[BalanceType], "Balances that the transaction changes."],
      entries: [[EntryType], "Entries of the state that the transaction changes."],
      missingCosignatures: [[MissingType], "Approvals that an aggregate lacks."],
      hasLock: [
        "Boolean?",
        "Whether the hash lock of a bonded aggregate is there; null for others, and for unsigned ones.",
      ],
    }),
    body: bodyField(t, (simulation) => JSON.stringify(simulation), "The REST body, which has the receipts too."),
  }),
});

builder.queryFields((t) => ({
  simulate: t.field({
    type: [SimulationType],
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
    resolve: (_root, { payloads, unsigned }, { db, dryRuns, client = "" }) => {
      if (payloads.length === 0 || payloads.length > MAX_SIMULATED) {
        throw invalidArgument(`payloads must have 1 to ${MAX_SIMULATED} entries, not ${payloads.length}`, "payloads");
      }
      return dryRuns.simulate(db, payloads, unsigned ?? false, client);
    },
  }),
}));
