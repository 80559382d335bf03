import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { makeExtensions } from "../../cli/parts/extensions.js";
import { SCENARIO_RULES } from "../devnet/scenario-stages.js";
import { playScenario } from "../support/devnet-scenario.js";
import { type CheckedGateway, type CheckResult, findMeshChecker, runMeshChecker } from "../support/mesh-checker.js";
import { MeshClient } from "../support/mesh-client.js";
import { RestStack } from "../support/rest-stack.js";
import { skip } from "../support/skipped.js";
import { lacking } from "../support/tools.js";
import { pause } from "../support/until.js";

const program = findMeshChecker();
/** Between blocks, the checker has nothing left to compare: it ends only then. */
const BLOCK_MS = 1_000;
const FORKS = 3;
/** The checker reads new blocks every two seconds: so long it takes until it has read one. */
const SYNC_MS = 3_000;

if (program === undefined) {
  skip("the checker of the Mesh standard", lacking("mesh-cli"));
} else {
  describe("the checker of the Mesh standard, on a devnet with every transaction type", () => {
    let stack: RestStack;
    let scenarioHeight: number;
    let steady: CheckResult;
    let forked: CheckResult;
    let construction: CheckResult;

    beforeAll(async () => {
      stack = await RestStack.start({
        devnet: { zmqPort: 0, rules: { ...SCENARIO_RULES } },
        populate: playScenario,
        gateway: { extensions: makeExtensions({ MESH_PATH: "/mesh" }) },
      });
      const url = `${stack.url}/mesh`;
      const funder = stack.node.devnet.accounts[1]!;
      const id = stack.node.devnet.currencyMosaicId.toString(16).toUpperCase().padStart(16, "0");
      scenarioHeight = stack.node.devnet.height;
      const checked: CheckedGateway = {
        url,
        network: await new MeshClient(url).network(),
        currency: { symbol: "symbol.xym", decimals: 6, metadata: { id } },
        funder: { account: { address: encodeAddress(funder.address) }, privateKey: funder.privateKey },
      };
      const run = (command: "check:data" | "check:construction") => runMeshChecker(program, command, checked);
      const constructing = run("check:construction");
      steady = await whileMining(run("check:data"));
      forked = await whileMining(run("check:data"), FORKS);
      construction = await whileMining(constructing);
    });

    afterAll(() => stack?.stop());

    /**
     * Creates blocks while the checker runs. In each of the first `forks` forks, a block without transactions is replaced
     * by two others: the checker follows, and transactions of the workflow stay where they are.
     */
    async function whileMining<Result>(work: Promise<Result>, forks = 0): Promise<Result> {
      const { devnet } = stack.node;
      let hasEnded = false;
      const done = work.finally(() => {
        hasEnded = true;
      });
      for (let left = forks; !hasEnded; ) {
        await pause(BLOCK_MS);
        const isEmpty = devnet.unconfirmedCount === 0;
        await devnet.harvest(1);
        if (!isEmpty || left === 0) continue;
        await pause(SYNC_MS);
        devnet.fork({ from: devnet.height - 1, blocks: 2 });
        left -= 1;
      }
      return done;
    }

    /** Every test of the checker, and what it counted. */
    function expectNoFailure({ output, tables, results }: CheckResult) {
      process.stderr.write(`${tables}\n`);
      expect({ results, output: results?.error === "" ? "" : output }).toMatchObject({
        results: {
          error: "",
          end_condition: { type: "Reconciliation Coverage End Condition" },
          tests: {
            request_response: true,
            response_assertion: true,
            block_syncing: true,
            balance_tracking: true,
            reconciliation: true,
          },
          stats: { exempt_reconciliations: 0, failed_reconciliations: 0, reconciliation_coverage: 1 },
        },
      });
      const { blocks, active_reconciliations: active, inactive_reconciliations: inactive } = results.stats;
      expect(blocks).toBeGreaterThanOrEqual(scenarioHeight);
      expect(active).toBeGreaterThan(150);
      expect(inactive).toBeGreaterThan(10);
      return results.stats;
    }

    test("check:data finds no failure from the first block to the tip, with balances of the past", () => {
      expect(expectNoFailure(steady)).toMatchObject({ orphans: 0, skipped_reconciliations: 0 });
    });

    test("check:data finds none while forks drop blocks that it has read", () => {
      // The balances of a dropped block cannot be requested any more: those are skipped.
      expect(expectNoFailure(forked).orphans).toBeGreaterThan(0);
    });

    test("check:construction creates, funds, uses and empties an account", () => {
      const { output, tables, results } = construction;
      process.stderr.write(`${tables}\n`);
      expect({ results, output: results?.error === "" ? "" : output }).toMatchObject({
        results: {
          error: "",
          end_conditions: { round_trip: 1 },
          stats: {
            transactions_confirmed: 3,
            failed_broadcasts: 0,
            addresses_created: 1,
            workflows_completed: { round_trip: 1 },
          },
        },
      });
    });
  });
}
