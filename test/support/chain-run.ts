import type { Block } from "../../catapult/entity/model.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { matchesHeader } from "../../ledger/engine/header-match.js";
import { verifyFooter } from "../../ledger/header/header-rules.js";
import { copyHeaderFacts, HeaderWindow } from "../../ledger/header/header-window.js";
import type { ChainRecording } from "./chain-recording.js";
import { StateStore } from "./state-store.js";
import { verifyWholeHeader } from "./verify-header.js";

/** How far the blocks of a recorded chain could be executed. */
export interface ChainRun {
  /** Of the last block whose hashes are equal to its header's. */
  readonly height: number;
  /** Why the next block is not; undefined at the end of the chain. */
  readonly failure: string | undefined;
}

export interface RunOptions {
  /** Whether the engine is thrown away after every block, and loaded again from its serialized entries. */
  readonly reloads: boolean;
  /** What is final before a block: what the node knew, as far as it was recorded (default), nothing, or all below it. */
  readonly finality?: "recorded" | "none" | "all";
}

/**
 * Executes the blocks of a recorded chain in memory, up to the first one that is rejected, or whose state hash or
 * receipts hash differs from its header's.
 */
export async function runChain(
  chain: ChainRecording,
  { reloads, finality = "recorded" }: RunOptions,
): Promise<ChainRun> {
  const blocks = chain.blocks.map(({ decoded }) => decoded);
  const store = new StateStore();
  let state = new ChainState(chain.config);
  const headers = new HeaderWindow();
  let finalizedHeight = 0;
  for (const block of blocks) {
    try {
      const final = finalBefore(chain, block.height, finality);
      if (final > finalizedHeight) {
        store.end(state.endedBy(final));
        state.finalize(final, blocks[final - 1]!.timestamp);
        finalizedHeight = final;
      }
      if (reloads && block.height > 1) {
        state = await loadAt(chain.config, store, blocks, block.height - 1, finalizedHeight);
      }
      verifyWholeHeader(block, headers, state);
      const { stateHash, receiptsHash, changes } = state.execute(block, (result) =>
        matchesHeader(result, block.entity),
      );
      const wrong = [
        ...(receiptsHash.equals(block.entity.receiptsHash) ? [] : ["receiptsHash"]),
        ...(stateHash.equals(block.entity.stateHash) ? [] : ["stateHash"]),
      ];
      if (wrong.length > 0) throw new Error(`block ${block.height}: ${wrong.join(" and ")} differ`);
      verifyFooter(block, headers, () => state.importanceCounts(), chain.config);
      headers.push(copyHeaderFacts(block));
      store.apply(block.height, changes);
    } catch (error) {
      return { height: block.height - 1, failure: String(error) };
    }
  }
  return { height: blocks.length, failure: undefined };
}

/**
 * The state after block `height`, loaded from stored entries.
 *
 * @param store with the entries after that block
 * @param blocks from height 1 on
 */
export function loadAt(
  config: NetworkConfig,
  store: StateStore,
  blocks: readonly Block[],
  height: number,
  finalizedHeight: number,
): Promise<ChainState> {
  const below = blocks.slice(0, height);
  const feeMultipliers = below.slice(-config.maxDifficultyBlocks).map(({ feeMultiplier }) => feeMultiplier);
  const since = blocks[finalizedHeight - 1]?.timestamp ?? 0;
  const confirmed = below
    .flatMap(({ transactions }) => transactions)
    .map(({ hash, entity }) => ({ hash, deadline: Number(entity.deadline) }))
    .filter(({ deadline }) => deadline >= since);
  const basis = { height, finalizedHeight, feeMultipliers: feeMultipliers.reverse(), confirmed };
  return ChainState.load(config, basis, store);
}

function finalBefore(chain: ChainRecording, height: number, finality: RunOptions["finality"]): number {
  if (finality === "none") return 0;
  return finality === "all" ? height - 1 : chain.finalizedBefore(height);
}
