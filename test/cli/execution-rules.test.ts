import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { loadExecution } from "../../cli/parts/parts.js";
import { UsageError } from "../../cli/process/usage-error.js";
import { loadSettings } from "../../cli/settings/settings.js";
import { describeMainNetwork } from "../support/describe-chains.js";
import { LogLines } from "../support/log-lines.js";
import { MAIN_NETWORK } from "../support/main-network.js";
import { RecordedChain } from "../support/recorded-chain.js";

let folder: string;
let log: LogLines;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "symbol-gateway-resources-"));
  log = new LogLines();
});

afterEach(() => rm(folder, { recursive: true }));

const finalizationOf = async (network: NetworkIdentity, resources?: string) => {
  const environment = { CATAPULT_NODES: "localhost:1", ...(resources && { CATAPULT_RESOURCES: resources }) };
  const { settings } = loadSettings(environment, join(folder, ".env"));
  return (await loadExecution(settings, log.logger))?.configOf(network)?.finalization;
};

const write = (text: string) => writeFile(join(folder, "config-finalization.properties"), text);

describe("the rules of finalization", () => {
  const chain = new RecordedChain();

  beforeEach(() => cp(chain.path("resources"), folder, { recursive: true }));

  test("are read from CATAPULT_RESOURCES", async () => {
    await write("[finalization]\nsize = 100\nthreshold = 80\ntreasuryReissuanceEpoch = 7\n");
    const rules = { size: 100n, threshold: 80n, treasuryReissuanceEpoch: 7 };
    expect(await finalizationOf(chain.network, folder)).toMatchObject(rules);
    expect(log.matching(/config-finalization/)).toEqual([]);
  });

  test("are those of a node by default if its file is missing there, which is logged", async () => {
    expect(await finalizationOf(chain.network, folder)).toMatchObject({ size: 10_000n, threshold: 6_700n });
    expect(log.matching(/CATAPULT_RESOURCES has no config-finalization.properties/)).toHaveLength(1);
  });

  test("that are invalid are named", async () => {
    await write("[finalization]\nsize = many\nthreshold = 80\n");
    const problem = `CATAPULT_RESOURCES (${folder}): [finalization] size: expected an integer, not many.`;
    await expect(finalizationOf(chain.network, folder)).rejects.toThrow(new UsageError(problem).message);
  });

  test("are rejected where a limit of roll-backs takes the place of votes", async () => {
    const file = join(folder, "config-network.properties");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace("maxRollbackBlocks = 0", "maxRollbackBlocks = 398"));
    await expect(finalizationOf(chain.network, folder)).rejects.toThrow(
      new UsageError(
        `CATAPULT_RESOURCES (${folder}): [chain] maxRollbackBlocks: expected 0, not 398: ` +
          "only networks where votes make blocks final are supported.",
      ).message,
    );
  });
});

describeMainNetwork("the rules of finalization of the main network", (files) => {
  test("are built in, also if only their file is missing in CATAPULT_RESOURCES", async () => {
    const builtIn = await finalizationOf(MAIN_NETWORK);
    expect(builtIn).toMatchObject({ treasuryReissuanceEpoch: 481 });
    expect(builtIn?.ineligibleVoters.size).toBe(62);
    expect(await finalizationOf(MAIN_NETWORK, files.resourcesDirectory)).toEqual(builtIn);
    expect(log.matching(/config-finalization/)).toEqual([]);

    await cp(files.resourcesDirectory, folder, { recursive: true });
    await write("[finalization]\nsize = 10'000\nthreshold = 6'700\ntreasuryReissuanceEpoch = 0\n");
    expect(await finalizationOf(MAIN_NETWORK, folder)).toMatchObject({ ineligibleVoters: new Set() });
  });
});
