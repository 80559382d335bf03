import { join } from "node:path";
import type { Logger } from "pino";
import { decodeBlock } from "../../catapult/entity/block.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { BlockExecutionError } from "../../ledger/engine/executed-block.js";
import type { DevnetKeys } from "../network/keys.js";
import type { DevnetNetwork } from "../network/network.js";
import { Chain, ChainFileError } from "./chain.js";
import { writeFinalizationProof } from "./finalization-proof.js";
import { createNemesis } from "./nemesis.js";
import { VotingSets } from "./voting-sets.js";

/** Blocks between two clean-ups while a stored chain is executed. */
const SETTLE_INTERVAL = 1000;
/** Milliseconds between two log messages while a long chain is executed. */
const PROGRESS_INTERVAL = 5000;

/** A chain and the state after its last block. */
export interface StoredChain {
  readonly chain: Chain;
  readonly state: ChainState;
  readonly votingSets: VotingSets;
}

/**
 * Opens the chain of a folder, or creates one, and executes its blocks. Throws {@link ChainFileError} if it has
 * another nemesis block, or blocks that do not follow these rules.
 */
export function openStoredChain(folder: string, network: DevnetNetwork, keys: DevnetKeys, log: Logger): StoredChain {
  const path = join(folder, "chain.dat");
  const state = new ChainState(network.config);
  const votingSets = new VotingSets();
  const nemesis = createNemesis(network, keys, state);
  votingSets.note(state);
  const round = { epoch: 1, point: 1, height: 1, hash: nemesis.hash };
  const chain = Chain.open(path, nemesis, writeFinalizationProof(round, []), log);
  try {
    const stored = { chain, state, votingSets };
    execute(stored, network, log);
    return stored;
  } catch (error) {
    chain.close();
    if (!(error instanceof BlockExecutionError)) throw error;
    throw new ChainFileError(`${path} contains blocks that do not follow these rules: ${error.message}`, {
      cause: error,
    });
  }
}

function execute({ chain, state, votingSets }: StoredChain, network: DevnetNetwork, log: Logger): void {
  const { height: finalizedHeight } = chain.finalized;
  let nextMessage = performance.now() + PROGRESS_INTERVAL;
  for (let height = 2; height <= chain.height; height += 1) {
    const block = decodeBlock(chain.block(height), network.identity);
    const { stateHash } = state.execute(block);
    if (!stateHash.equals(block.entity.stateHash))
      throw new BlockExecutionError(`block ${height} has another state hash`);
    votingSets.note(state);
    const isSettled = height === finalizedHeight || (height < finalizedHeight && height % SETTLE_INTERVAL === 0);
    if (isSettled) state.finalize(height, block.timestamp, 0);
    if (performance.now() < nextMessage) continue;
    log.info({ height, head: chain.height }, "devnet: executing the stored chain");
    nextMessage = performance.now() + PROGRESS_INTERVAL;
  }
  votingSets.forgetBelow(chain.finalized.epoch);
}
