import type { Head } from "../../database/queries/head.js";
import type { LedgerFollower } from "../execution/ledger-follower.js";
import { provenFrom, type VotesOptions } from "./overrule.js";

/**
 * While our state differs from the network's, our checks say nothing about the next blocks: those that votes prove are
 * followed, and no others.
 */
export class ProvenBlocks {
  readonly #options: Omit<VotesOptions, "ledger">;
  #provenTo = 0;

  constructor(options: Omit<VotesOptions, "ledger">) {
    this.#options = options;
  }

  /**
   * Height up to which votes prove the blocks after the head, where the ledger is; that of the head if they prove none.
   *
   * @param finalizedHeight of the node
   */
  async provenTo(ledger: LedgerFollower, { height }: Head, finalizedHeight: number): Promise<number> {
    if (this.#provenTo <= height && finalizedHeight > height) {
      const hashes = await provenFrom(height + 1, { ...this.#options, ledger });
      if (hashes) {
        ledger.provenBlocks.add(hashes);
        this.#provenTo = height + hashes.length;
      }
    }
    return Math.max(height, this.#provenTo);
  }
}
