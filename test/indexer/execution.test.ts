import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/state/network-config.js";
import { BranchNode } from "../support/branch-node.js";
import { differences } from "../support/compare-databases.js";
import { serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { describeIfRecorded } from "../support/recorded-chain.js";
import { recordedForks, recordedNode } from "../support/recorded-node.js";

const FINALIZED = { epoch: 16, point: 14, height: 592 };

describeIfRecorded("an indexer that executes the recorded chain", (chain) => {
  const read = (name: string) => readFileSync(chain.path(`resources/${name}.properties`), "utf8");
  const config: NetworkConfig = parseNetworkConfig(read("config-network"), read("config-inflation"));
  const execution = { configOf: () => config };
  const recording = recordedNode(chain);
  const proofs = new Map(
    chain
      .lines<{ epoch: number; proof: string }>("finalization-proofs.jsonl.gz")
      .map(({ epoch, proof }) => [epoch, Buffer.from(proof, "hex")]),
  );
  let node: BranchNode;
  let index: IndexedDatabase;

  beforeAll(async () => {
    // Only the newest block has roots, and no statement is served: a node that trusts nobody.
    node = await BranchNode.start({ ...recording, credentials: serverCredentials, log: silentLog });
    node.finalize(FINALIZED);
    node.showProofs(proofs);
    index = await IndexedDatabase.create();
    await index.follow(node.address, { execution });
    await index.waitFor((head) => head.height === recording.blocks.length && head.finalization.height === 592, 60_000);
  }, 90_000);

  afterAll(async () => {
    await index.drop();
    await node.close();
  });

  test("has the state of its head, block by block", async () => {
    const heights = await index.db.selectFrom("head").select(["height", "state_height", "ledger_height"]).execute();
    expect(heights).toEqual([{ height: 596, state_height: 596, ledger_height: 596 }]);
  });

  test("has every recorded state value", async () => {
    const values = chain.lines<{ kind: string; key: string; value: string }>("states.jsonl.gz");
    const accounts = values.filter(({ kind }) => kind === "account");
    const rows = await index.db.selectFrom("accounts").select(["address", "value"]).execute();
    const stored = new Map(rows.map(({ address, value }) => [address.toString("hex").toUpperCase(), value]));
    expect(accounts.filter(({ key, value }) => stored.get(key)?.toString("hex").toUpperCase() !== value)).toEqual([]);
    expect(rows).toHaveLength(accounts.length);
  });

  test("takes finalization from proofs alone", async () => {
    const finalized = await index.db
      .selectFrom("finalized_blocks")
      .select(["epoch", "height"])
      .orderBy("epoch")
      .execute();
    expect(finalized.at(-1)).toEqual({ epoch: 16, height: 592 });
    const forging = await BranchNode.start({ ...recording, credentials: serverCredentials, log: silentLog });
    forging.finalize(FINALIZED);
    const forged = Buffer.from(proofs.get(2)!);
    forged[forged.length - 1]! ^= 1;
    forging.showProofs(new Map(proofs).set(2, forged));
    const other = await IndexedDatabase.create();
    const lines = new LogLines();
    await other.follow(forging.address, { execution, log: lines.logger });
    await lines.waitFor(/finalization proof of epoch 2/);
    const head = await other.waitFor(() => true);
    expect(head.finalization.height).toBe(0);
    await other.drop();
    await forging.close();
  });

  test("continues after a restart, and follows each recorded fork", async () => {
    for (const fork of recordedForks(chain)) {
      await index.stop();
      node.switchTo(fork.before);
      await index.follow(node.address, { execution });
      await index.waitForHash(node.hashAt(fork.before.length));
      await index.stop();
      node.switchTo(fork.after);
      await index.follow(node.address, { execution });
      await index.waitForHash(node.hashAt(fork.after.length));
    }
    const head = await index.waitFor(() => true);
    const fresh = await IndexedDatabase.create();
    await fresh.follow(node.address, { execution });
    await fresh.waitFor(({ hash }) => hash.equals(head.hash), 90_000);
    expect(await differences(fresh.url, index.url)).toEqual([]);
    await fresh.drop();
  });
});
