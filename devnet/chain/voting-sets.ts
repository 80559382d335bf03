import type { ChainState } from "../../ledger/engine/chain-state.js";
import { type VotingSet, votingSetAfter } from "../../ledger/finalization/voting-set.js";

/** The voters of the epochs that are not final yet. */
export class VotingSets {
  readonly #sets = new Map<number, VotingSet>();

  /** To be called after each executed block: a block that replaces another one replaces its voters. */
  note({ tables, config, height }: ChainState): void {
    const set = votingSetAfter(tables, config, height);
    if (set) this.#sets.set(set.epoch, set);
  }

  /** The voters of an epoch; undefined before its first block, and once a later epoch is final. */
  of(epoch: number): VotingSet | undefined {
    return this.#sets.get(epoch);
  }

  forgetBelow(epoch: number): void {
    for (const known of this.#sets.keys()) if (known < epoch) this.#sets.delete(known);
  }
}
