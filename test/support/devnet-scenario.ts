import { runScenario, type ScenarioResult } from "../devnet/scenario.js";
import { scenarioStages } from "../devnet/scenario-stages.js";
import { BrokerRecord } from "./broker-record.js";
import type { DevnetFixture } from "./devnet.js";

/**
 * Runs every transaction type on a devnet that runs under `SCENARIO_RULES` with a ZeroMQ port, and tries every rejection.
 * Returns the outcome of each step, according to the broker.
 */
export async function playScenario({ devnet, client }: DevnetFixture): Promise<ScenarioResult[]> {
  const record = await BrokerRecord.open(devnet);
  const sent = async (push: Promise<void>) => {
    await push;
    return undefined;
  };
  try {
    return await runScenario(scenarioStages(devnet), {
      announcer: {
        transaction: (payload) => sent(client.pushTransactions([payload])),
        partial: (payload) => sent(client.pushPartialTransactions([payload])),
        cosignature: (payload) => sent(client.pushCosignatures([payload])),
      },
      fateOf: ({ hash }) => record.fateOf(hash),
      height: async () => (await client.chainStatistics()).height,
      mine: async (blocks) => {
        await devnet.harvest(Math.max(0, blocks));
        if (blocks > 0) await record.untilBlock(devnet.height);
      },
    });
  } finally {
    await record.close();
  }
}
