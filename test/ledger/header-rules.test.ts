import { expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import { BlockEntity } from "../../catapult/entity/block-entity.js";
import { BLOCK, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import type { Block } from "../../catapult/entity/model.js";
import { BLOCK_TYPE } from "../../catapult/structs/type-names.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { verifyFooter } from "../../ledger/header/header-rules.js";
import { copyHeaderFacts, HeaderWindow } from "../../ledger/header/header-window.js";
import { computeHit, computeTarget } from "../../ledger/header/hit.js";
import { describeRecorded } from "../support/describe-chains.js";
import { recordedConfig } from "../support/known-networks.js";
import { verifyWholeHeader } from "../support/verify-header.js";

describeRecorded("the rules for headers, on the chain of a real node", (chain) => {
  const config = recordedConfig(chain);
  const blocks = chain.blocks().map(({ block }) => decodeBlock(block, chain.network));

  /** The state and the headers below a height. */
  function below(height: number): { readonly state: ChainState; readonly parents: HeaderWindow } {
    const state = new ChainState(config);
    const parents = new HeaderWindow();
    for (const block of blocks.slice(0, height - 1)) {
      state.execute(block);
      parents.push(copyHeaderFacts(block));
    }
    return { state, parents };
  }

  test("a header that violates one of them is rejected, and the field is named", () => {
    const height = 300;
    const { state, parents } = below(height);
    const block = blocks[height - 1]!;
    const reject = (change: Partial<Block>) => () => verifyWholeHeader({ ...block, ...change }, parents, state);
    const outsider = Buffer.alloc(24, 1);
    const changed = (change: (bytes: Buffer) => void) => {
      const bytes = Buffer.from(block.bytes);
      change(bytes);
      return new BlockEntity(bytes);
    };
    const withType = changed((bytes) => bytes.writeUInt16LE(BLOCK_TYPE.normal, VERIFIABLE.type));
    const { proofGamma, previousBlockHash } = BLOCK;
    const withProof = changed((bytes) => blocks[height]!.bytes.copy(bytes, proofGamma, proofGamma, previousBlockHash));
    expect(reject({ difficulty: block.difficulty + 1n })).toThrow(/block 300: difficulty is \d+ instead of \d+/);
    expect(reject({ signerAddress: outsider })).toThrow("block 300: signerPublicKey is not known on the chain");
    expect(reject({ entity: withType })).toThrow("block 300: type is 0x8143 instead of 0x8243");
    expect(reject({ entity: withProof })).toThrow("block 300: generationHashProof is invalid");
    expect(reject({ generationHash: Buffer.alloc(32) })).toThrow("block 300: generationHash has hit");
    expect(reject({ timestamp: parents.head!.timestamp + 999 })).toThrow("which is not below the target 0");
    expect(reject({})).not.toThrow();
  });

  test("a footer with other values than the state's is rejected", () => {
    const { state, parents } = below(300);
    const block = blocks[299]!;
    state.execute(block);
    const figures = state.importanceCounts();
    const wrong = { ...figures, totalVotingBalance: figures.totalVotingBalance + 1n };
    expect(() => verifyFooter(block, parents, () => wrong, config)).toThrow("block 300: totalVotingBalance is");
    expect(() => verifyFooter(block, parents, () => figures, config)).not.toThrow();
  });

  test("hits and targets match their formulas", () => {
    // 2^54 times the natural logarithm of 2^256 / hash
    const half = Buffer.alloc(32);
    half[0] = 0x80;
    expect(Number(computeHit(half)) / 2 ** 54).toBeCloseTo(Math.LN2, 8);
    const tiny = Buffer.alloc(32);
    tiny[31] = 1;
    expect(Number(computeHit(tiny)) / 2 ** 54).toBeCloseTo(256 * Math.LN2, 5);
    expect(computeHit(Buffer.alloc(32))).toBe(0xffff_ffff_ffff_ffffn);
    expect(computeHit(Buffer.alloc(32, 0xff))).toBe(0n);
    const rules = {
      blockGenerationTargetTime: 30_000,
      blockTimeSmoothingFactor: 0,
      totalChainImportance: 8_999_999_998n,
    };
    expect(computeTarget(30_999, 10n ** 14n, 1_000n, rules)).toBe((30n * 1_000n * 2n ** 64n) / 10n ** 14n);
    const smooth = { ...rules, blockTimeSmoothingFactor: 3_000 };
    const ratio = (seconds: number) =>
      Number(computeTarget(seconds * 1_000, 10n ** 14n, 10n ** 9n, smooth)) /
      Number(computeTarget(seconds * 1_000, 10n ** 14n, 10n ** 9n, rules));
    for (const seconds of [15, 29, 30, 31, 45])
      expect(ratio(seconds)).toBeCloseTo(Math.exp((3 * (seconds - 30)) / 30), 2);
    expect(ratio(300)).toBeCloseTo(100, 5);
  });
});
