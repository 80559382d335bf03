import { describe, expect, test } from "@jest/globals";
import { type RunOptions, runChain } from "../support/chain-run.js";
import { OWN_CHAINS, SharedChain } from "../support/shared-chain.js";
import { describeIfShared } from "../support/shared-folder.js";

const RUNS: readonly (readonly [how: string, options: RunOptions])[] = [
  ["without a restart", { reloads: false }],
  ["loaded from its entries after every block", { reloads: true }],
  // When its creator had removed an ended namespace, a block alone can tell.
  ["although nothing becomes final", { reloads: false, finality: "none" }],
  ["although each block is final at once", { reloads: false, finality: "all" }],
];

function runs(name: string, chain: SharedChain): void {
  test.each(RUNS)("is executed with the node's hashes, %s", async (how, options) => {
    const startedAt = performance.now();
    const run = await runChain(chain, options);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    process.stderr.write(`${name}, ${how}: ${run.height} of ${chain.blocks.length} blocks in ${seconds} s\n`);
    expect(run).toEqual({ height: chain.blocks.length, failure: undefined });
  });
}

for (const name of ["announced", "main-rules"]) {
  const folder = `chain/${name}`;
  describeIfShared(`the chain that a real node recorded in ${name}`, `${folder}/blocks.jsonl.gz`, () => {
    runs(name, new SharedChain(folder));
  });
}

describe("the chain of a random walk beside a real node", () => {
  runs("walk", new SharedChain("walk", OWN_CHAINS));
});
