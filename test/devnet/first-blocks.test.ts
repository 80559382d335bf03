import { expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { Block } from "../../catapult/entity/model.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { describeMainNetwork, describeTestNetwork } from "../support/describe-chains.js";
import { MAIN_NETWORK, publicConfig, TEST_NETWORK } from "../support/main-network.js";

function footerOf({ entity }: Block) {
  const { previousImportanceBlockHash: _, ...figures } = entity.importance!;
  return figures;
}

describeMainNetwork("the main network's first block, executed with the built-in configuration", (files) => {
  test("reproduces the header's hashes, the nine roots, the statement and the values of the footer", () => {
    const block = decodeBlock(files.block, MAIN_NETWORK);
    const state = new ChainState(publicConfig(MAIN_NETWORK));
    const since = performance.now();
    const executed = state.execute(block);
    process.stderr.write(
      `main network's first block: ${block.transactions.length} transactions executed in ` +
        `${Math.round(performance.now() - since)} ms\n`,
    );
    expect(executed.stateHash).toEqual(block.entity.stateHash);
    expect(executed.receiptsHash).toEqual(block.entity.receiptsHash);
    expect(Buffer.concat(executed.subCacheMerkleRoots)).toEqual(files.subCacheMerkleRoots);
    expect(executed.statement.equals(files.statement)).toBe(true);
    expect(state.importanceCounts()).toEqual(footerOf(block));
    expect(footerOf(block)).toEqual({
      votingEligibleAccountsCount: 66,
      harvestingEligibleAccountsCount: 12_143n,
      totalVotingBalance: 1_245_516_176_790_744n,
    });
    // from the second block on the multiplier has a default
    expect(state.tables.dynamicFeeMultiplier.get()).toBe(100);
  });
});

describeTestNetwork("the recorded first block of a public test network", (stored) => {
  test("is executed, and reproduces the values of its footer: its header has neither state hash nor receipts hash", () => {
    const network = { ...TEST_NETWORK, generationHashSeed: MAIN_NETWORK.generationHashSeed };
    const block = decodeBlock(stored.subarray(0, stored.readUInt32LE(0)), network);
    const zeros = Buffer.alloc(32);
    expect([block.entity.stateHash, block.entity.receiptsHash]).toEqual([zeros, zeros]);
    // differences of its configuration from that of today's test network
    const state = new ChainState({
      ...publicConfig(TEST_NETWORK),
      generationHashSeed: network.generationHashSeed,
      nemesisSignerPublicKey: block.signerPublicKey,
      currencyMosaicId: 0x664e_d36a_3138_66f5n,
      harvestingMosaicId: 0x4c09_8ba4_39f8_d1c4n,
      maxMosaicAtomicUnits: 9_000_000_000_000_000n,
      totalChainImportance: 17_000_000n,
      minHarvesterBalance: 500n,
      maxHarvesterBalance: 4_000_000n,
      minVoterBalance: 50_000n,
    });
    state.execute(block);
    expect(state.importanceCounts()).toEqual(footerOf(block));
    expect(footerOf(block).harvestingEligibleAccountsCount).toBe(11n);
  });
});
