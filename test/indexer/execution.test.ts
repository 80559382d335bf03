import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readIndexPoint } from "../../database/queries/head.js";
import { BranchNode } from "../support/branch-node.js";
import { differences } from "../support/compare-databases.js";
import { serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { describeRecorded } from "../support/describe-chains.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { recordedConfig } from "../support/known-networks.js";
import { LogLines } from "../support/log-lines.js";
import { executedIndex, RECORDED_FINALIZED, recordedBranchNode, recordedProofs } from "../support/recorded-index.js";
import { recordedForks, recordedNode } from "../support/recorded-node.js";

describeRecorded("an indexer that executes the recorded chain", (chain) => {
  const config = recordedConfig(chain);
  const execution = { configOf: () => config };
  const recording = recordedNode(chain);
  const proofs = recordedProofs(chain);
  let node: BranchNode;
  let index: IndexedDatabase;

  beforeAll(async () => {
    // Only the newest block has roots, and no statement is used.
    node = await BranchNode.start({ ...recording, credentials: serverCredentials, log: silentLog });
    node.finalize(RECORDED_FINALIZED);
    node.showProofs(proofs);
    index = await executedIndex(chain);
  });

  afterAll(async () => {
    await index.drop();
    await node.close();
  });

  test("has the state of its head, block by block", async () => {
    const heights = await index.db.selectFrom("head").select("height").execute();
    expect(heights).toEqual([{ height: 596 }]);
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
    const forged = Buffer.from(proofs.get(2)!);
    forged[forged.length - 1]! ^= 1;
    const forging = await recordedBranchNode(chain, new Map(proofs).set(2, forged));
    const other = await IndexedDatabase.create();
    const lines = new LogLines();
    await other.follow(forging.address, { execution, log: lines.logger });
    await lines.waitFor(/finalization proof of epoch 2/);
    // The next valid proof makes the blocks final, and the record ends.
    await other.waitFor((head) => head.finalization.height > 2 * config.votingSetGrouping);
    await other.stop();
    expect(await other.db.selectFrom("finalized_blocks").selectAll().where("epoch", "=", 2).execute()).toEqual([]);
    expect((await readIndexPoint(other.db)).unprovenFinalization).toBeNull();
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
    const fresh = await executedIndex(chain);
    await fresh.follow(node.address, { execution });
    await fresh.waitFor(({ hash }) => hash.equals(head.hash), 90_000);
    expect(await differences(fresh.url, index.url)).toEqual([]);
    await fresh.drop();
  });
});
