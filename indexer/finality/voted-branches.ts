import type { Db } from "../../database/database.js";
import type { Finalization } from "../../database/queries/head.js";
import type { ProofRules, VotedBranch } from "../../ledger/finalization/verify-proof.js";
import type { VotingSet } from "../../ledger/finalization/voting-set.js";
import { branchOf, branchProvenBy, endOf, NEMESIS_EPOCH, nemesisBranch } from "./voted-branch.js";

/** Knows what votes prove about a range that is filled. */
export interface VotedBranches {
  /** Of the newest block that is said to be final, proven or not. */
  readonly claimedHeight: number;
  /**
   * The branch that ends at block `height` or above it; undefined if none is proven.
   *
   * @param epoch of the block
   * @param set the voters of the epoch, if our state has determined them
   * @throws FinalizationProofError when a proof is invalid, NodeResponseError when it cannot be decoded
   */
  branchTo(height: number, epoch: number, set: VotingSet | undefined): Promise<VotedBranch | undefined>;
}

/** Number of proofs requested ahead of the executed epoch. */
const EPOCHS_AHEAD = 4;

/** A node, or a file with what it once sent. */
export interface ProofSource {
  /** The proof of an epoch, unverified; undefined if there is none. */
  finalizationProofAtEpoch(epoch: number): Promise<Buffer | undefined>;
}

/** Branches that proofs name, verified with the voters of our own state. */
export class ProvenBranches implements VotedBranches {
  readonly #proofs: ProofSource;
  readonly #claimed: Finalization;
  readonly #rules: ProofRules;
  readonly #requests = new Map<number, Promise<Buffer | undefined>>();

  /** @param claimed what the source claims to be final */
  constructor(proofs: ProofSource, claimed: Finalization, rules: ProofRules) {
    this.#proofs = proofs;
    this.#claimed = claimed;
    this.#rules = rules;
  }

  get claimedHeight(): number {
    return this.#claimed.height;
  }

  async branchTo(height: number, epoch: number, set: VotingSet | undefined): Promise<VotedBranch | undefined> {
    const claimed = this.#claimed;
    if (epoch === NEMESIS_EPOCH) return nemesisBranch(claimed);
    if (!set || epoch > claimed.epoch || height > claimed.height) return undefined;
    for (let ahead = epoch; ahead <= Math.min(epoch + EPOCHS_AHEAD, claimed.epoch); ++ahead) this.#request(ahead);
    const bytes = await this.#requests.get(epoch);
    this.#requests.delete(epoch);
    if (!bytes) return undefined;
    const branch = branchProvenBy(bytes, set, this.#rules);
    return endOf(branch).height < height ? undefined : branch;
  }

  #request(epoch: number): void {
    if (this.#requests.has(epoch)) return;
    const request = this.#proofs.finalizationProofAtEpoch(epoch);
    // It is awaited in its epoch's turn, if that ever comes.
    request.catch(() => undefined);
    this.#requests.set(epoch, request);
  }
}

/** Blocks that votes have proven to the index before, for a rebuild from its own bytes. */
export class RecordedBranches implements VotedBranches {
  readonly claimedHeight: number;
  /** The lowest first. */
  readonly #final: readonly Finalization[];

  private constructor(final: readonly Finalization[]) {
    this.claimedHeight = final.at(-1)?.height ?? 0;
    this.#final = final;
  }

  /** @param to the maximum height */
  static async load(db: Db, to: number): Promise<RecordedBranches> {
    const rows = await db
      .selectFrom("finalized_blocks")
      .distinctOn("epoch")
      .select(["epoch", "point", "height", "hash"])
      .where("height", "<=", to)
      .orderBy("epoch")
      .orderBy("point", "desc")
      .execute();
    return new RecordedBranches(rows);
  }

  async branchTo(height: number): Promise<VotedBranch | undefined> {
    const final = this.#final.find((one) => one.height >= height);
    return final && branchOf(final);
  }
}
