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

/** Every type of transaction, odd bytes that nodes accept, announcements of all kinds, the main network's rules, a random walk. */
const FOLDERS = [".", "accepted", "announced", "main-rules", "walk"];

describe.each(FOLDERS)("the chain that a real node recorded in test/data/%s", (name) => {
  const chain = new ChainRecording(name);
  // Odd bytes are nothing that a restart or finality changes.
  const runs = name === "accepted" ? RUNS.slice(0, 1) : RUNS;

  test.each(runs)("is executed with the node's hashes, %s", async (_how, options) => {
    expect(await runChain(chain, options)).toEqual({ height: chain.blocks.length, failure: undefined });
  });
});
