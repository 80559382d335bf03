import { expect, test } from "@jest/globals";
import type { Db } from "../../database/database.js";
import type { Head } from "../../database/queries/head.js";
import { Executor } from "../../indexer/chain/execution/executor.js";
import { DecoderPool } from "../../indexer/chain/fill/decoder-pool.js";
import { RangeExecutor } from "../../indexer/chain/fill/range-executor.js";
import { FAR, type RangeOptions } from "../../indexer/chain/fill/range-options.js";
import { writeRange } from "../../indexer/chain/fill/written-range.js";
import { Finality } from "../../indexer/chain/finality/finality.js";
import type { Source } from "../../indexer/chain/source/source.js";
import type { BlockRange } from "../../indexer/chain/step/block-range.js";
import { BEFORE_NEMESIS } from "../../indexer/chain/step/chain-position.js";
import { NO_LISTENER } from "../../indexer/chain/step/range-listener.js";
import { StageClock } from "../../indexer/chain/step/stage-times.js";
import type { RangeWriter } from "../../indexer/chain/write/write.js";
import { executableNetwork, generateExecutableChain } from "../support/executable-chain.js";
import { indexContext } from "../support/index-context.js";

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
  const context = { ...indexContext(undefined as unknown as Db, identity), config: network.config };
  const ledger = new Executor(context);
  const finalized = { epoch: 0, point: 0, ...BEFORE_NEMESIS };
  const head = { ...BEFORE_NEMESIS, score: 0n, finalization: finalized } as Head;
  const restored = await ledger.align(head, BEFORE_NEMESIS);
  const decoders = new DecoderPool(1, { checkSignatures: false, network: network.identity, config: network.config });
  let height = 0;
  const writer = {
    write: async ({ end }: BlockRange) => {
      height = end.height;
      return NO_TIMES;
    },
  } as RangeWriter;
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
    const options: RangeOptions = {
      context: { ...context, source, ledger, writer, finality: new Finality(context), listener: NO_LISTENER },
      wanted: { head, base: BEFORE_NEMESIS, to: SHAPE.blocks, sourceHeight: SHAPE.blocks, finalized },
      decoders,
      branches,
      rejected: undefined,
      limits: FAR,
      clock: new StageClock(),
      onWritten: async () => undefined,
    };
    const executor = new RangeExecutor(options, restored.parent);
    const filling = writeRange(options, executor, restored, new AbortController().signal);
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
