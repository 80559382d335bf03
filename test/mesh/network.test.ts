import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { NodeResources } from "../../catapult/network/node-resources.js";
import { makeExtensions } from "../../cli/parts/extensions.js";
import { builtInNetwork, configuredNetwork } from "../../mesh/standard/built-in-network.js";
import { MESH_VERSION } from "../../mesh/standard/schemas.js";
import { meshModule, withoutTexts } from "../contract/mesh-standard.js";
import { describeRecorded } from "../support/describe-chains.js";
import { MeshClient, meshStandard } from "../support/mesh-client.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";

const HEIGHT = 596;

test("the types of the standard are those of its file", () => {
  const types = readFileSync(new URL("../../../mesh/standard/schemas.ts", import.meta.url), "utf8");
  const squeezed = (text: string) => text.replaceAll(/,(?=\s*[)}\]])|\s+/g, "");
  expect(squeezed(meshModule(meshStandard))).toBe(squeezed(types));
  expect(withoutTexts(meshStandard)).toEqual(meshStandard);
});

describeRecorded("the network", (chain) => {
  const served = RecordedStateGateway.use(chain, {
    resourcesDirectory: chain.path("resources"),
    extensions: makeExtensions({ MESH_PATH: "/mesh" }),
  });
  const mesh = new MeshClient(served);

  test("is the only one that is listed", async () => {
    const seed = chain.network.generationHashSeed.toString("hex").toUpperCase().slice(0, 8);
    expect(await mesh.network()).toEqual({ blockchain: "Symbol", network: `testnet-${seed}` });
  });

  test("has a status with its first and its newest block, and the progress of the index", async () => {
    const status = await mesh.ask<Record<string, unknown>>("/network/status");
    const [first, newest] = await Promise.all(
      [1, HEIGHT].map(async (height) => (await served.get(`/blocks/${height}`)).body),
    );
    expect(status).toMatchObject({
      current_block_identifier: { index: HEIGHT, hash: newest.meta.hash },
      current_block_timestamp: chain.networkFile.epochAdjustment * 1_000 + Number(newest.block.timestamp),
      genesis_block_identifier: { index: 1, hash: first.meta.hash },
      sync_status: { current_index: HEIGHT, target_index: HEIGHT, synced: true },
    });
  });

  test("is known to an offline server by the files of one of its nodes", async () => {
    const { identifier } = await configuredNetwork(new NodeResources(chain.path("resources")));
    expect(await mesh.network()).toEqual(identifier);
    expect(builtInNetwork("mainnet").identifier).toEqual({ blockchain: "Symbol", network: "mainnet" });
  });

  test("says of each block whether it is final", async () => {
    const { latestFinalizedBlock } = (await served.get("/chain/info")).body;
    const final = Number(latestFinalizedBlock.height);
    for (const index of [1, final, final + 1]) {
      const { block } = await mesh.ask<{ block: { metadata: object } }>("/block", { block_identifier: { index } });
      expect({ index, ...block.metadata }).toMatchObject({ index, is_final: index <= final });
    }
  });

  test("has options: its types of operations, all errors, and the balances of every height", async () => {
    const { version, allow } = await mesh.ask<Record<string, Record<string, unknown>>>("/network/options");
    expect(version).toMatchObject({ rosetta_version: MESH_VERSION, middleware_version: "0.0.0" });
    expect(allow).toMatchObject({
      historical_balance_lookup: true,
      balance_exemptions: [],
      operation_statuses: [
        { status: "SUCCESS", successful: true },
        { status: "PENDING", successful: false },
      ],
    });
  });
});
