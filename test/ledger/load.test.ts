import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { Block } from "../../catapult/entity/model.js";
import { parseNetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import type { ExecutedBlock } from "../../ledger/engine/executed-block.js";
import { account, HARVESTING, TestChain, transfer } from "../devnet/state-test-chain.js";
import { loadAt } from "../support/chain-run.js";
import { describeRecorded } from "../support/describe-chains.js";
import { StateStore } from "../support/state-store.js";

const FINALIZATION_LAG = 30;
/** This number of blocks is executed on each loaded state. */
const BLOCKS_AFTER_LOADING = 25;

describeRecorded("a ledger whose entries were stored", (chain) => {
  const blocks = chain.blocks().map(({ block }) => decodeBlock(block, chain.network));
  const read = (name: string) => readFileSync(chain.path(`resources/${name}.properties`), "utf8");
  const config = parseNetworkConfig(read("config-network"), read("config-inflation"));

  test("continues like the one that was stored, from any height, also below the last block", async () => {
    const ledger = new ChainState(config);
    const store = new StateStore();
    let loaded = 0;
    for (const block of blocks) {
      expectHeaders(block, store, ledger.execute(block));
      const finalized = Math.max(1, block.height - FINALIZATION_LAG);
      store.end(ledger.endedBy(finalized));
      ledger.finalize(finalized, blocks[finalized - 1]!.timestamp);
      if (block.height % 41 !== 0) continue;
      for (const height of [block.height, block.height - FINALIZATION_LAG / 2]) {
        const copy = await loadAt(config, store.at(height), blocks, height, finalized);
        expect(copy.subCacheMerkleRoots()).toEqual(rootsAfter(ledger, height));
        for (const next of blocks.slice(height, height + BLOCKS_AFTER_LOADING))
          expectHeaders(next, undefined, copy.execute(next));
        ++loaded;
      }
    }
    expect(loaded).toBe(2 * Math.floor(blocks.length / 41));
  });

  function rootsAfter(ledger: ChainState, height: number): readonly Buffer[] {
    if (height === ledger.height) return ledger.subCacheMerkleRoots();
    const above = blocks.slice(height, ledger.height);
    ledger.rollbackTo(height);
    const roots = ledger.subCacheMerkleRoots();
    for (const block of above) ledger.execute(block);
    return roots;
  }
});

test("an account below the minimum to harvest has its former importances after a restart, which count above it", async () => {
  const chain = new TestChain(["harvester", "alice"]);
  const give = (from: string, to: string, amount: bigint) =>
    chain.mine(chain.transaction(from, transfer(to, [[HARVESTING, amount]])));
  give("harvester", "alice", 1_000n);
  chain.skip(40 - chain.state.height);
  give("alice", "harvester", 501n);
  chain.skip(61 - chain.state.height);
  const store = new StateStore();
  for (const { height, executed } of chain.mined) store.apply(height, executed.changes);
  const basis = { height: 61, finalizedHeight: 1, feeMultipliers: [], confirmed: [] };
  const loaded = await ChainState.load(chain.state.config, basis, store);
  const historyIn = ({ tables }: ChainState) => {
    const { importances, activity } = tables.accounts.require(account("alice").address);
    return { importances, activity };
  };
  expect(historyIn(loaded)).toEqual(historyIn(chain.state));
  expect(historyIn(loaded).importances.map(({ height }) => height)).toEqual([0, 40, 20]);
});

function expectHeaders({ height, entity }: Block, store: StateStore | undefined, executed: ExecutedBlock): void {
  const hashes = [height, hex(executed.stateHash), hex(executed.receiptsHash)];
  expect(hashes).toEqual([height, hex(entity.stateHash), hex(entity.receiptsHash)]);
  store?.apply(height, executed.changes);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
