import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { BlockResponse, BlockTransactionResponse } from "../../gateway/mesh/standard/schemas.js";
import { reconcile, wholeBlock } from "../support/mesh-balances.js";
import { MeshClient } from "../support/mesh-client.js";
import { describeRecorded } from "../support/recorded-chain.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";

const HEIGHT = 596;

describeRecorded("the recorded chain", (chain) => {
  let served: RecordedStateGateway;
  let mesh: MeshClient;

  beforeAll(async () => {
    served = await RecordedStateGateway.start(chain, {
      resourcesDirectory: chain.path("resources"),
      meshPath: "/mesh",
    });
    mesh = new MeshClient(`${served.url}/mesh`);
  });

  afterAll(() => served.close());

  test("operations of every block are its balance changes, and their sums every balance at every height", async () => {
    const { changes, balances } = await reconcile(mesh, served.index.db, HEIGHT);
    expect(changes).toBeGreaterThan(2_000);
    expect(balances).toBeGreaterThan(2_000);
  });

  test("a block is found by height, hash, both and neither, and its transactions by their hashes", async () => {
    const newest = await wholeBlock(mesh, HEIGHT);
    const { index, hash } = newest.block_identifier;
    for (const block_identifier of [{ index }, { hash }, { index, hash }, {}]) {
      expect((await mesh.ask<BlockResponse>("/block", { block_identifier })).block).toEqual(newest);
    }
    for (let height = 1; height <= 40; height += 1) {
      const block = await wholeBlock(mesh, height);
      for (const transaction of block.transactions) {
        const { block_identifier } = block;
        const { transaction_identifier } = transaction;
        const request = { block_identifier, transaction_identifier };
        const answer = await mesh.ask<BlockTransactionResponse>("/block/transaction", request);
        expect(answer.transaction).toEqual(transaction);
      }
    }
  });
});
