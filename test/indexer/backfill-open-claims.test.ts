import { expect, test } from "@jest/globals";
import type { Db } from "../../database/database.js";
import type { Head } from "../../database/queries/head.js";
import { Executor } from "../../indexer/chain/execution/executor.js";
import { DecoderPool } from "../../indexer/chain/fill/decoder-pool.js";
import { FAR } from "../../indexer/chain/fill/filler.js";
import { RangeExecutor } from "../../indexer/chain/fill/range-executor.js";
import { StageClock } from "../../indexer/chain/fill/stage-times.js";
import { writeRange } from "../../indexer/chain/fill/written-range.js";
import type { Source } from "../../indexer/chain/source/source.js";
import { BEFORE_NEMESIS } from "../../indexer/chain/step/chain-position.js";
import type { Step } from "../../indexer/chain/step/step.js";
import type { StepWriter } from "../../indexer/chain/write/write.js";
import { silentLog } from "../support/connection-fixtures.js";
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
  const { identity } = network;
  const rules = { network: identity, config: network.config, log: silentLog };
  const executor = new Executor({ ...rules, db: undefined as unknown as Db });
  const head = { ...BEFORE_NEMESIS, score: 0n, finalization: { epoch: 0, point: 0, ...BEFORE_NEMESIS } };
  const restored = await executor.align(head as Head, BEFORE_NEMESIS);
  const start = { height: 0, hash: Buffer.alloc(32), timestamp: 0, score: 0n };
  const decoders = new DecoderPool(1, { checkSignatures: false, network: network.identity });
  let height = 0;
  const writer = {
    write: async ({ rows }: Step) => {
      height = rows.at(-1)!.end.height;
      return NO_TIMES;
    },
  } as StepWriter;
  const source: Source = {
    name: "The source",
    isStored: false,
    servedBy: undefined,
    blocks: async (height) => [generated[height - 1]!.block],
    blockHashes: async () => [],
    finalizationProofAtEpoch: async () => undefined,
    branches: async () => branches,
    chain: () => Promise.reject(new Error("unused")),
    async *read() {
      yield generated.slice(0, last).map(({ block }) => {
        return { bytes: block, statement: NOTHING, subCacheMerkleRoots: NOTHING };
      });
      throw new Error("the source failed");
    },
  };
  try {
    const range = { source, start, to: SHAPE.blocks, finalizedHeight: 0, executor };
    const rangeExecutor = new RangeExecutor({ ...rules, ...range, branches, isNear: false });
    const filling = writeRange(
      {
        ...{ ...range, ...FAR, limits: FAR, rangeExecutor, decoders, writer, restored, head: BEFORE_NEMESIS },
        clock: new StageClock(),
        announces: () => false,
        beforeStep: async () => undefined,
        onWritten: async () => undefined,
      },
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
