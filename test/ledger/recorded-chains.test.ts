import { expect, test } from "@jest/globals";
import { runChain } from "../support/chain-run.js";
import { SharedChain } from "../support/shared-chain.js";
import { describeIfShared } from "../support/shared-folder.js";

/** How far each chain is executed today; the last block once every rule is the node's. */
const EXECUTED = {
  announced: { straight: 242, reloaded: 242 },
  "main-rules": { straight: 97, reloaded: 90 },
};

for (const [name, expected] of Object.entries(EXECUTED)) {
  const folder = `chain/${name}`;
  describeIfShared(`the chain that a real node recorded in ${name}`, `${folder}/blocks.jsonl.gz`, () => {
    const chain = new SharedChain(folder);

    test.each([
      ["without a restart", false, expected.straight],
      ["loaded from its entries after every block", true, expected.reloaded],
    ])("is executed with the node's hashes, %s", async (how, reloads, height) => {
      const startedAt = performance.now();
      const run = await runChain(chain, { reloads });
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      const end = run.failure ? `; then ${run.failure}` : "";
      process.stderr.write(`${name}, ${how}: ${run.height} of ${chain.blocks.length} blocks in ${seconds} s${end}\n`);
      expect(run.height).toBe(height);
    });
  });
}
