import type { Devnet, DevnetOptions } from "../../devnet/devnet.js";
import type { ScenarioStage } from "./scenario.js";
import { accountStages } from "./scenario-accounts.js";
import { aggregateStages, LOCK_EXPIRY_BLOCKS, legacyStages } from "./scenario-aggregates.js";
import { assetStages, EXPIRY_BLOCKS, MOSAICS } from "./scenario-assets.js";
import { Cast } from "./scenario-cast.js";
import { rootNamespace } from "./state-descriptors.js";

const GRACE_BLOCKS = 4;

/** Rules under which the whole scenario is possible: expiring things expire after a few blocks. */
export const SCENARIO_RULES: DevnetOptions["rules"] = {
  strictAggregateTransactionHash: 8,
  uniqueAggregateTransactionHash: 12,
  minNamespaceDuration: 1,
  namespaceGracePeriodDuration: GRACE_BLOCKS,
};

/** Initial funds of the actors. */
const FUNDED = ["issuer", "buyer", "carol", "dave", "erin", "hermit", "recluse", "vault", "treasury", "linker"];
const FUNDS = 100_000_000_000n;

/**
 * Every transaction type and every rejection that was recorded from a real node, each under its name there, and some more, in
 * a possible order. The devnet must run under `SCENARIO_RULES` and be below their fork heights.
 */
export function scenarioStages(devnet: Devnet): readonly ScenarioStage[] {
  const cast = new Cast(devnet);
  const fund = FUNDED.map((name) => cast.step(`fund ${name}`, "funder", cast.transfer(name, [[cast.currency, FUNDS]])));
  const assets = assetStages(cast);
  const replay = assets[0]?.steps[0];
  if (!replay) throw new Error("there is nothing to replay");
  return [
    { title: "funds", steps: fund },
    ...legacyStages(
      cast,
      devnet.rules.strictAggregateTransactionHash,
      devnet.rules.uniqueAggregateTransactionHash ?? 0,
    ),
    ...assets,
    ...accountStages(cast),
    ...aggregateStages(cast),
    {
      title: "expiry",
      blocksBefore: Math.max(EXPIRY_BLOCKS.mosaic, EXPIRY_BLOCKS.namespace + GRACE_BLOCKS, LOCK_EXPIRY_BLOCKS) + 1,
      steps: cast.steps([
        { ...replay, name: "inv: replay", expected: "ignored" },
        ["ns root after another's", "buyer", rootNamespace("brief", 50n)],
        ["transfer expired", "buyer", cast.transfer("issuer", [[MOSAICS.expiring, 1n]]), "Failure_Mosaic_Expired"],
      ]),
    },
  ];
}
