import { describe, expect, test } from "@jest/globals";
import { ChainRecording } from "../support/chain-recording.js";
import { type RunOptions, runChain } from "../support/chain-run.js";

const RUNS: readonly (readonly [how: string, options: RunOptions])[] = [
  ["without a restart", { reloads: false }],
  ["loaded from its entries after every block", { reloads: true }],
  // When its creator had removed an ended namespace, a block alone can tell.
  ["although nothing becomes final", { reloads: false, finality: "none" }],
  ["although each block is final at once", { reloads: false, finality: "all" }],
];

function runs(name: string, chain: ChainRecording): void {
  test.each(RUNS)("is executed with the node's hashes, %s", async (how, options) => {
    const startedAt = performance.now();
    const run = await runChain(chain, options);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    process.stderr.write(`${name}, ${how}: ${run.height} of ${chain.blocks.length} blocks in ${seconds} s\n`);
    expect(run).toEqual({ height: chain.blocks.length, failure: undefined });
  });
}

describe.each(["announced", "main-rules", "walk"])("the chain that a real node recorded in %s", (name) => {
  runs(name, new ChainRecording(name));
});
