import { expect, test } from "@jest/globals";
import { ChainExecutor } from "../../indexer/backfill/chain-executor.js";
import { DecoderPool } from "../../indexer/backfill/decoder-pool.js";
import { fill } from "../../indexer/backfill/fill.js";
import { StageClock } from "../../indexer/backfill/stage-times.js";
import { ExecutedChain } from "../../indexer/chain/executed-chain.js";
import type { StepWriter } from "../../indexer/follow/write.js";
import type { Step } from "../../indexer/step/step.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { HeaderWindow } from "../../ledger/header/header-window.js";
import { executableNetwork, generateExecutableChain } from "../support/executable-chain.js";

const SHAPE = { blocks: 45, seed: 5, accounts: 20, votingSetGrouping: 20 };
const { network } = executableNetwork(SHAPE);
const generated = [...generateExecutableChain({ ...SHAPE, open: 0 })];
const final = generated.flatMap(({ proof, height, hash }) =>
  proof ? [{ epoch: proof.epoch, point: 1, blocks: [{ height, hash }] }] : [],
);
const NOTHING = Buffer.alloc(0);
const NO_TIMES = { copy: 0, state: 0, notes: 0, commit: 0 };

/** Fills from a source that fails after block `last`. @returns the height that was written, and the error */
async function fillUpTo(last: number): Promise<{ readonly height: number; readonly problem: string }> {
  const branches = {
    claimedHeight: SHAPE.blocks,
    branchTo: async (height: number) => final.find(({ blocks }) => blocks[0]!.height >= height),
  };
  const executed = new ExecutedChain(new ChainState(network.config), new HeaderWindow(), new Map());
  const shared = { network: network.identity, to: SHAPE.blocks, comparesStored: false };
  const readAgain = async () => [];
  const executor = new ChainExecutor({ ...shared, chain: executed, branches, readAgain }, 0);
  const fixed = { checkSignatures: false, gathersKeys: false };
  const decoders = new DecoderPool(1, { ...fixed, network: network.identity });
  let height = 0;
  const writer = {
    write: async ({ rows }: Step) => {
      height = rows.at(-1)!.end.height;
      return NO_TIMES;
    },
  } as StepWriter;
  const source = {
    async *read() {
      yield generated.slice(0, last).map(({ block }) => {
        return { bytes: block, statement: NOTHING, subCacheMerkleRoots: NOTHING };
      });
      throw new Error("the source failed");
    },
  };
  const start = { height: 0, hash: Buffer.alloc(32), timestamp: 0, score: 0n };
  try {
    const options = {
      source,
      executor,
      decoders,
      writer,
      writesRaw: true,
      start,
      finalizedHeight: 0,
      to: SHAPE.blocks,
    };
    const filling = fill(
      { ...options, clock: new StageClock(), onWritten: () => undefined },
      new AbortController().signal,
    );
    const problem = await filling.then(
      () => "",
      (error: Error) => error.message,
    );
    return { height, problem };
  } finally {
    await decoders.close();
  }
}

test("blocks with invalid generation hash proofs are not written before votes have proven them", async () => {
  const { height, problem } = await fillUpTo(31);
  expect(problem).toMatch(/^block 21: generationHashProof is invalid/);
  expect(height).toBe(20);
});

test("blocks proven by votes are written when the source fails", async () => {
  expect(await fillUpTo(40)).toEqual({ height: 40, problem: "the source failed" });
});
