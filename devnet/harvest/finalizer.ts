import type { Logger } from "pino";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import { epochEnd } from "../../ledger/config/finalization-config.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { FinalizationProofError, verifyFinalizationProof } from "../../ledger/finalization/verify-proof.js";
import type { Chain } from "../chain/chain.js";
import { FinalizationStage, type FinalizedRound, writeFinalizationProof } from "../chain/finalization-proof.js";
import type { VotingSets } from "../chain/voting-sets.js";
import type { DevnetKeys } from "../network/keys.js";
import type { FinalizationRules } from "../network/settings.js";
import type { DevnetEvents } from "../pool/events.js";

const MAX_PREVOTE_HASHES = 256;

/** Dependencies of a finalizer. */
export interface FinalizerOptions {
  readonly chain: Chain;
  readonly keys: DevnetKeys;
  readonly votingSets: VotingSets;
  readonly config: NetworkConfig;
  readonly finalization: FinalizationRules;
  readonly events: DevnetEvents;
  readonly log: Logger;
}

/**
 * Finalizes blocks with the votes of the harvester, as long as these have the weight that the network requires: other
 * accounts can link voting keys, but a devnet does not vote for them.
 */
export class Finalizer {
  readonly #options: FinalizerOptions;
  #isShortOfVotes = false;

  constructor(options: FinalizerOptions) {
    this.#options = options;
  }

  /** To be called after each block: finalizes when it is due. */
  blockAdded(): void {
    const { chain, finalization, log } = this.#options;
    const height = chain.height - finalization.lag;
    if (!finalization.auto || height - chain.finalized.height < finalization.interval) return;
    try {
      this.finalize(height);
      this.#isShortOfVotes = false;
    } catch (error) {
      if (!(error instanceof FinalizationProofError)) throw error;
      if (!this.#isShortOfVotes)
        log.warn({ err: error }, "devnet: the harvester's votes do not finalize any more blocks");
      this.#isShortOfVotes = true;
    }
  }

  /**
   * Finalizes all blocks up to a height. A round never crosses the end of an epoch, so this can take several. Throws
   * RangeError if there is no such block, FinalizationProofError if the harvester's votes have too little weight; has no
   * effect for a height that is already final.
   */
  finalize(height: number): void {
    const { chain, events, votingSets } = this.#options;
    if (height > chain.height)
      throw new RangeError(`block ${height} cannot be finalized: the chain has ${chain.height}`);
    while (chain.finalized.height < height) {
      const round = this.#nextRound(chain.finalized, height);
      chain.addProof(this.#makeProof(round));
      votingSets.forgetBelow(round.epoch);
      events.emit("finalizedBlock", round);
    }
  }

  #makeProof(round: FinalizedRound): Buffer {
    const { chain, keys, votingSets, config } = this.#options;
    const first = Math.max(chain.finalized.height, round.height - MAX_PREVOTE_HASHES + 1);
    const hashes = Array.from({ length: round.height - first + 1 }, (_, index) => chain.entry(first + index).hash);
    const voters = [keys];
    const proof = writeFinalizationProof(round, [
      { stage: FinalizationStage.precommit, height: round.height, hashes: [round.hash], voters },
      { stage: FinalizationStage.prevote, height: first, hashes, voters },
    ]);
    const set = votingSets.of(round.epoch);
    if (!set) throw new Error(`the voters of epoch ${round.epoch} are unknown`);
    verifyFinalizationProof(decodeFinalizationProof(proof), set, config);
    return proof;
  }

  /** The proof of an epoch, if it has one. */
  proofAtEpoch(epoch: number): Buffer | undefined {
    return epoch > this.#options.chain.finalized.epoch ? undefined : this.#options.chain.proof(epoch);
  }

  /**
   * The proof that ends at a height. A node looks for it in the epoch that it computes from the end of the second one
   * (catapult `io/FileProofStorage`), and so finds those at the ends of epochs.
   */
  proofAtHeight(height: number): Buffer | undefined {
    const { chain } = this.#options;
    if (height === 0 || height > chain.finalized.height) return undefined;
    const second = chain.proof(2);
    const grouping = second && Number(second.readBigUInt64LE(16));
    const proof = chain.proof(grouping === undefined ? 1 : Math.floor(height / grouping) + 1);
    return proof && Number(proof.readBigUInt64LE(16)) === height ? proof : undefined;
  }

  #nextRound(last: FinalizedRound, height: number): FinalizedRound {
    const { chain, config } = this.#options;
    const isEpochDone = last.height === epochEnd(last.epoch, config.votingSetGrouping);
    const epoch = isEpochDone ? last.epoch + 1 : last.epoch;
    const target = Math.min(height, epochEnd(epoch, config.votingSetGrouping));
    return { epoch, point: isEpochDone ? 1 : last.point + 1, height: target, hash: chain.entry(target).hash };
  }
}
