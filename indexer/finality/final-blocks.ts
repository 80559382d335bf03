import type { Db } from "../../database/database.js";
import type { Finalization } from "../../database/queries/head.js";
import type { ProofRules } from "../../ledger/finalization/verify-proof.js";
import type { VotingSet } from "../../ledger/finalization/voting-set.js";
import { finalizationProvenBy, NEMESIS_EPOCH, nemesisFinalization } from "./finalization-proof.js";

/** Knows which blocks of a range that is filled are final. */
export interface FinalBlocks {
  /** The newest known final block, proven or not. */
  readonly claimedHeight: number;
  /**
   * A final block that is block `height` or has it as an ancestor; undefined if none is proven.
   *
   * @param epoch of the block
   * @param set the voters of the epoch, if our state has determined them
   * @throws FinalizationProofError when a proof is invalid, NodeResponseError when it cannot be decoded
   */
  finalAbove(height: number, epoch: number, set: VotingSet | undefined): Promise<Finalization | undefined>;
}

/** Number of proofs requested ahead of the executed epoch. */
const EPOCHS_AHEAD = 4;

/** A node, or a file with what it once sent. */
export interface ProofSource {
  /** The proof of an epoch, unverified; undefined if there is none. */
  finalizationProofAtEpoch(epoch: number): Promise<Buffer | undefined>;
}

/** Blocks proven final by finalization proofs, verified with the voters of our own state. */
export class ProvenBlocks implements FinalBlocks {
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

  async finalAbove(height: number, epoch: number, set: VotingSet | undefined): Promise<Finalization | undefined> {
    const claimed = this.#claimed;
    if (epoch === NEMESIS_EPOCH) return nemesisFinalization(claimed);
    if (!set || epoch > claimed.epoch || height > claimed.height) return undefined;
    for (let ahead = epoch; ahead <= Math.min(epoch + EPOCHS_AHEAD, claimed.epoch); ++ahead) this.#request(ahead);
    const bytes = await this.#requests.get(epoch);
    this.#requests.delete(epoch);
    if (!bytes) return undefined;
    const proven = finalizationProvenBy(bytes, set, this.#rules);
    return proven.height < height ? undefined : proven;
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
export class RecordedBlocks implements FinalBlocks {
  readonly claimedHeight: number;
  /** The lowest first. */
  readonly #final: readonly Finalization[];

  private constructor(final: readonly Finalization[]) {
    this.claimedHeight = final.at(-1)?.height ?? 0;
    this.#final = final;
  }

  /** @param to the maximum height */
  static async load(db: Db, to: number): Promise<RecordedBlocks> {
    const rows = await db
      .selectFrom("finalized_blocks")
      .distinctOn("epoch")
      .select(["epoch", "point", "height", "hash"])
      .where("height", "<=", to)
      .orderBy("epoch")
      .orderBy("point", "desc")
      .execute();
    return new RecordedBlocks(rows);
  }

  async finalAbove(height: number): Promise<Finalization | undefined> {
    return this.#final.find((final) => final.height >= height);
  }
}
