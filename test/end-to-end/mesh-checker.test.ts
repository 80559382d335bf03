import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { idText } from "../../catapult/json/format.js";
import { makeExtensions } from "../../cli/parts/extensions.js";
import type { AccountIdentifier, Currency, NetworkIdentifier } from "../../mesh/standard/schemas.js";
import { SCENARIO_RULES } from "../devnet/scenario-stages.js";
import { playScenario } from "../support/devnet-scenario.js";
import { freePort } from "../support/free-port.js";
import { MeshClient } from "../support/mesh-client.js";
import { RestStack } from "../support/rest-stack.js";
import { skip } from "../support/skipped.js";
import { findProgram, isExecutable, lacking } from "../support/tools.js";
import { pause } from "../support/until.js";

const NAMES = ["mesh-cli", "rosetta-cli"];
const DOCUMENTED = fileURLToPath(new URL("../../../docs/mesh-check/", import.meta.url));
const WORKFLOW = "round-trip.ros";
/** Blocks of a devnet may have any age: what is newest is the tip. */
const ANY_AGE_SECONDS = 1_000_000_000;
const TIMEOUT_MS = 300_000;

/** The checker's program: `MESH_CLI`, or the first of its names on `PATH`; undefined if there is none. */
function findMeshChecker(): string | undefined {
  const { MESH_CLI } = process.env;
  return MESH_CLI ? [MESH_CLI].find(isExecutable) : NAMES.map(findProgram).find((file) => file !== undefined);
}

/** A gateway to check, and an account that pays for `check:construction`. */
interface CheckedGateway {
  /** With the path of Mesh. */
  readonly url: string;
  readonly network: NetworkIdentifier;
  readonly currency: Currency;
  readonly funder: { readonly account: AccountIdentifier; readonly privateKey: Buffer };
}

/** How a run of the checker ended. */
interface CheckResult {
  readonly exitCode: number | null;
  /** Standard output and error. */
  readonly output: string;
  /** The tables that it prints at the end. */
  readonly tables: string;
  /** Its results file. */
  // biome-ignore lint/suspicious/noExplicitAny: the checker defines its form.
  readonly results: any;
}

/** Runs a command of the checker with the documented configuration, changed for the gateway. */
async function runMeshChecker(
  program: string,
  command: "check:data" | "check:construction",
  { url, network, currency, funder }: CheckedGateway,
): Promise<CheckResult> {
  const directory = await mkdtemp(join(tmpdir(), "symbol-gateway-mesh-"));
  try {
    const documented = JSON.parse(readFileSync(join(DOCUMENTED, "configuration.json"), "utf8"));
    const file = (name: string) => join(directory, name);
    const [data, construction] = [file("data.json"), file("construction.json")];
    const configuration = {
      ...documented,
      network,
      online_url: url,
      data_directory: directory,
      tip_delay: ANY_AGE_SECONDS,
      data: { ...documented.data, results_output_file: data, status_port: await freePort() },
      construction: {
        ...documented.construction,
        offline_url: url,
        results_output_file: construction,
        status_port: await freePort(),
        prefunded_accounts: [
          {
            privkey: funder.privateKey.toString("hex"),
            account_identifier: funder.account,
            curve_type: "edwards25519",
            currency,
          },
        ],
      },
    };
    await writeFile(file("configuration.json"), JSON.stringify(configuration));
    await copyFile(join(DOCUMENTED, WORKFLOW), file(WORKFLOW));
    const environment = {
      MESH_NETWORK_IDENTIFIER: JSON.stringify(network),
      MESH_CURRENCY: JSON.stringify(currency),
      MESH_FUNDER: JSON.stringify(funder.account),
    };
    const args = [command, "--configuration-file", file("configuration.json")];
    const { exitCode, output } = await run(program, args, environment);
    const results = await readFile(command === "check:data" ? data : construction, "utf8").catch(() => "null");
    const tables = output.split("\n").filter((line) => /^[+|]/.test(line));
    return { exitCode, output, tables: tables.join("\n"), results: JSON.parse(results) };
  } finally {
    await rm(directory, { recursive: true });
  }
}

function run(program: string, args: readonly string[], environment: Record<string, string>) {
  return new Promise<{ exitCode: number | null; output: string }>((resolve, reject) => {
    const child = spawn(program, args, { env: { ...process.env, ...environment }, timeout: TIMEOUT_MS });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.on("error", reject).on("close", (exitCode) => resolve({ exitCode, output }));
  });
}

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
      const id = idText(stack.node.devnet.currencyMosaicId);
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
