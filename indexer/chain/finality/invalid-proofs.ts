import type { Finalization } from "../../../database/queries/head.js";
import type { FinalizationProofError } from "../../../ledger/finalization/verify-proof.js";

/**
 * After this time the nodes are tried again: one that was unreachable may have a valid proof. Before they are blamed
 * again, the state is loaded again.
 */
const IGNORED_FOR_MS = 3_600_000;

/**
 * Finalization proofs that the voters of our own state do not confirm. One is invalid data of its node; but if all
 * nodes serve such ones, this program may lack a rule about voters. Then they are ignored, and blocks are followed
 * without becoming final, until a valid proof makes one of them final.
 */
export class InvalidProofs {
  #ignoredUntil = Number.NEGATIVE_INFINITY;
  readonly #clock: () => number;
  /** Of each epoch, the node and its claim when the proof was invalid: it is not requested again before these change. */
  readonly #known = new Map<number, string>();

  /** @param clock ms; default that of this process */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** To be called when all reachable nodes have served invalid proofs. */
  ignore(): void {
    this.#ignoredUntil = this.#clock() + IGNORED_FOR_MS;
    this.#known.clear();
  }

  /** Whether invalid proofs are ignored. */
  get areIgnored(): boolean {
    return this.#clock() < this.#ignoredUntil;
  }

  /** @throws the error, unless invalid proofs are ignored */
  note(error: FinalizationProofError, epoch: number, claim: ProofClaim): void {
    if (!this.areIgnored) throw error;
    this.#known.set(epoch, describeClaim(epoch, claim));
  }

  /** Whether this node's proof of an epoch was invalid, and it claims nothing newer. */
  isKnown(epoch: number, claim: ProofClaim): boolean {
    return this.areIgnored && this.#known.get(epoch) === describeClaim(epoch, claim);
  }

  /** To be called when a valid proof makes a block of the index final. */
  reset(): void {
    this.#ignoredUntil = Number.NEGATIVE_INFINITY;
    this.#known.clear();
  }
}

interface ProofClaim {
  /** `host:port`. */
  readonly node: string | undefined;
  readonly claimed: Pick<Finalization, "epoch" | "point">;
}

/** Of an epoch that has ended, a node has one proof. */
function describeClaim(epoch: number, { node, claimed }: ProofClaim): string {
  return epoch < claimed.epoch ? `${node}` : `${node} ${claimed.epoch} ${claimed.point}`;
}
