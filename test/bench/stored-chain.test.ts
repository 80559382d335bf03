import { deserialize, serialize } from "node:v8";
import { expect, test } from "@jest/globals";
import { ExecutableChain } from "../support/executable-chain.js";

const OPTIONS = { seed: 1, blocks: 1_000, votingSetGrouping: 60, blocksPerAccount: 3 };
/** Importances are calculated on both sides. */
const [INTERRUPTED, END] = [150, 250];

function hashes(chain: ExecutableChain, count: number): string[] {
  return Array.from({ length: count }, () => chain.next().hash.toString("hex"));
}

test("a generated chain continues from a checkpoint with the same blocks", async () => {
  const uninterrupted = hashes(new ExecutableChain(OPTIONS), END);
  const chain = new ExecutableChain(OPTIONS);
  hashes(chain, INTERRUPTED);
  const checkpoint = deserialize(serialize(chain.checkpoint()));
  const resumed = await ExecutableChain.resume(OPTIONS, checkpoint);
  expect(hashes(resumed, END - INTERRUPTED)).toEqual(uninterrupted.slice(INTERRUPTED));
});
