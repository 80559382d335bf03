import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { headerMatch } from "../../ledger/engine/header-match.js";
import { type VotingSet, votingSetAfter } from "../../ledger/finalization/voting-set.js";
import type { NetworkConfig } from "../../ledger/state/network-config.js";
import { provenOutcome } from "./proven-outcome.js";

/** The first epoch with votes: that of the first block has none, so its votes prove the first block too. */
export const FIRST_VOTED_EPOCH = 2;

/**
 * The voters of the first epoch with votes, if the first block is executed whatever our checks and its hashes say.
 *
 * @throws BlockRejectedError when its bytes are invalid by themselves
 */
export function firstVoters(bytes: Buffer, network: NetworkIdentity, config: NetworkConfig): VotingSet | undefined {
  const state = new ChainState(config);
  verifyBlock({
    bytes,
    statementBytes: Buffer.alloc(0),
    network,
    onInvalidSignature: () => undefined,
    execute: (block) => {
      const executed = state.execute(block, undefined, []);
      return provenOutcome(executed, headerMatch(executed, block.entity));
    },
  });
  return votingSetAfter(state.tables, config, 1);
}
