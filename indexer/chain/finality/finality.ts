import { hex } from "../../../catapult/entity/hex.js";
import type { Db } from "../../../database/database.js";
import { findBlockHashes } from "../../../database/queries/blocks.js";
import type { Finalization, Head } from "../../../database/queries/head.js";
import { writeUnprovenFinalization } from "../../../database/queries/indexer-failures.js";
import { computeEpoch, epochEnd } from "../../../ledger/config/finalization-config.js";
import { FinalizationProofError, type VotedBranch } from "../../../ledger/finalization/verify-proof.js";
import type { VotingSet } from "../../../ledger/finalization/voting-set.js";
import type { Contradiction } from "../step/block-range.js";
import type { ChainPosition } from "../step/chain-position.js";
import { FinalizedBlockDroppedError } from "../step/errors.js";
import type { IndexContext } from "../step/index-context.js";
import {
  branchProvenBy,
  computeEnd,
  FIRST_VOTED_EPOCH,
  NEMESIS_EPOCH,
  nemesisBranch,
  type ProofSource,
} from "./votes.js";

/**
 * What is final in the chain of the index, and what follows from it: the same, whether the chain is followed, filled, or
 * begun anew.
 *
 * A proof is asked for of each epoch that is not final to its end, the newest first: of those up to the head's, and up to
 * the one that the node claims. It counts if the voters of its epoch signed it, which our own state determines. It names
 * more than its block: the prevotes are consecutive hashes that end in it, so its ancestors. The chain is that which the
 * nodes serve, whatever is voted for: they follow it too. While a range is executed, the proof of an epoch is asked for before
 * its blocks are executed (`RangeExecutor`): the blocks up to the proven one need no other proof then.
 *
 * | case | the epoch's proof | final is | and also |
 * |---|---|---|---|
 * | first epoch | is not needed | block 1 | |
 * | reached | is for a block of the chain | that block | |
 * | ahead | is for a block above the head, and names no other block than the chain's up to the head | what the epoch before proves | |
 * | contradicted | names another block than the chain has | the newest block of the chain that it names; if there is none, what the epoch before proves | log, metric and `/ready` name its round and block, until the chain has that block, or a later round makes a block of the chain final |
 * | missing | is unknown to the node | what the epoch before proves | |
 * | invalid | is not signed by the voters | what the epoch before proves | the node is dropped; if all nodes serve such proofs, they are ignored for a while, which log, metric and `/ready` say |
 *
 * Nodes change their branch between two requests. So a block becomes final, and a proof counts as contradicted, only if
 * the node that sent the proof has our block there after it sent it: then it has both. It may leave a contradicted block
 * all the same some seconds later, as nodes do that had not seen the votes: so only what lasts is an error in the log.
 *
 * | what depends on it | rule |
 * |---|---|
 * | roll-back | never below the final block: a node without it has another chain, and is dropped |
 * | removal of ended locks and namespaces | those that ended up to the final block, as nodes do |
 * | data that undo blocks | kept above the final block. While the index catches up with a higher one that is claimed and not contradicted, above the newest {@link MIN_ROLLBACK_BLOCKS} blocks only |
 */
export class Finality {
  readonly #context: FinalityContext;
  /** Until when invalid proofs are ignored: all nodes served such. */
  #ignoredUntil = Number.NEGATIVE_INFINITY;
  /** What is known of the proofs of epochs, all from the same node. */
  readonly #branches = new Map<number, KnownBranch>();
  #node: string | undefined;
  #contradiction: Contradiction | undefined;
  /** When it was found, ms of this process; undefined once it is logged as an error. */
  #contradictedAt: number | undefined;

  constructor(context: FinalityContext) {
    this.#context = context;
  }

  /**
   * What has become final of the index, and what contradicts it.
   *
   * @throws FinalizationProofError when the node's proof is invalid, and such are not ignored; NodeResponseError when it
   *   cannot be decoded
   */
  async check(source: ProofSource, voters: Voters, head: Head, claimed: Finalization): Promise<FinalityUpdate> {
    if (source.servedBy !== this.#node) this.#branches.clear();
    this.#node = source.servedBy;
    let contradiction: Contradiction | undefined;
    for await (const branch of this.#branchesOf(source, voters, head, claimed)) {
      const compared = compareWithChain(branch, await hashesBeside(this.#context.db, branch, head));
      if (compared.kind === "ahead") continue;
      const { final } = compared;
      if (compared.kind === "contradicted" && !contradiction) {
        const isKnown = this.#contradiction && isSameVote(this.#contradiction.vote, compared.vote);
        if (!isKnown && !(await hasBlock(source, compared.own))) return NOTHING;
        contradiction = compared;
      }
      if (!final) continue;
      if (!isNewer(final, head.finalization)) return { contradiction };
      return (await hasBlock(source, final)) ? { final, contradiction } : NOTHING;
    }
    return { contradiction };
  }

  /**
   * Logs and stores a contradiction when a range is written. Moving the final block has deleted what was stored before.
   */
  async wrote({ final, contradiction }: FinalityUpdate): Promise<void> {
    const { db, log, metrics } = this.#context;
    const known = this.#contradiction;
    if (final) this.#ignoredUntil = Number.NEGATIVE_INFINITY;
    if (!contradiction) {
      if (final) this.#contradiction = undefined;
      return;
    }
    const isKnown = known !== undefined && isSameVote(known.vote, contradiction.vote);
    this.#contradiction = contradiction;
    if (isKnown) this.#reportLasting(contradiction);
    if (isKnown && !final) return;
    await writeUnprovenFinalization(db, describeContradiction(contradiction));
    if (isKnown) return;
    this.#contradictedAt = performance.now();
    metrics?.count("contradicted_finalizations_total");
    log.warn(describeVote(contradiction), CONTRADICTED);
  }

  #reportLasting(contradiction: Contradiction): void {
    if (this.#contradictedAt === undefined || performance.now() - this.#contradictedAt < LASTING_MS) return;
    this.#contradictedAt = undefined;
    this.#context.log.error(describeVote(contradiction), CONTRADICTED);
  }

  /** Whether blocks are followed as if there were no proof where it is invalid. */
  get ignoresInvalid(): boolean {
    return performance.now() < this.#ignoredUntil;
  }

  /**
   * To be called when all nodes have served invalid proofs: this program may lack a rule about voters. Logs and stores why
   * no further block becomes final. @param error the first node's
   */
  async ignoreInvalid({ message }: Error): Promise<void> {
    const { db, log } = this.#context;
    log.error(
      { reason: message },
      "No block becomes final: by the voters that this program computes, the proofs of all nodes are invalid: update the program, and report this",
    );
    await writeUnprovenFinalization(db, message);
    this.#ignoredUntil = performance.now() + IGNORED_FOR_MS;
  }

  /** The voted branches of the epochs that may have something new, the newest first. */
  async *#branchesOf(
    source: ProofSource,
    voters: Voters,
    head: Head,
    claimed: Finalization,
  ): AsyncGenerator<VotedBranch> {
    const { height } = head;
    if (height === 0) return;
    if (claimed.epoch === NEMESIS_EPOCH) {
      const branch = nemesisBranch(claimed);
      if (branch) yield branch;
      return;
    }
    const { config } = this.#context;
    let requested = 0;
    const mayRequest = () => ++requested <= PROOFS_AT_A_TIME;
    const newest = Math.min(claimed.epoch, computeEpoch(height, config.votingSetGrouping));
    const oldest = Math.max(FIRST_VOTED_EPOCH, head.finalization.epoch);
    for (let epoch = newest; epoch >= oldest; --epoch) {
      if (isKnown(epoch, claimed, head, epochEnd(epoch, config.votingSetGrouping))) return;
      const set = voters.votingSet(epoch);
      if (!set) continue;
      const branch = await this.#findBranch(source, set, claimed, mayRequest);
      if (branch) yield branch;
    }
  }

  /** What the proof of an epoch with these voters says. */
  async #findBranch(
    source: ProofSource,
    set: VotingSet,
    claimed: Finalization,
    mayRequest: () => boolean,
  ): Promise<VotedBranch | undefined> {
    const { epoch } = set;
    const point = epoch < claimed.epoch ? Number.POSITIVE_INFINITY : claimed.point;
    const known = this.#branches.get(epoch);
    const isKnown = known?.set === set && known.point >= point && (!known.isInvalid || this.ignoresInvalid);
    if (isKnown) return known.branch;
    if (!mayRequest()) return undefined;
    const bytes = await source.finalizationProofAtEpoch(epoch);
    if (!bytes) this.#context.log.debug({ epoch }, "The node has no finalization proof of the epoch");
    try {
      const branch = bytes && branchProvenBy(bytes, set, this.#context.config, source.servedBy);
      this.#branches.set(epoch, { set, branch, point });
      return branch;
    } catch (error) {
      if (!(error instanceof FinalizationProofError && this.ignoresInvalid)) throw error;
      this.#branches.set(epoch, { set, branch: undefined, point, isInvalid: true });
      return undefined;
    }
  }
}

type FinalityContext = Pick<IndexContext, "db" | "config" | "log" | "metrics">;

/** Our own state of the voters. */
export interface Voters {
  /** The voters of an epoch; undefined if they are not determined yet, or the epoch has long been final. */
  votingSet(epoch: number): VotingSet | undefined;
}

/** What votes say about a chain. */
export interface FinalityUpdate {
  readonly final?: Finalization | undefined;
  readonly contradiction?: Contradiction | undefined;
}

/** A branch that votes name, compared with a chain. */
export type ComparedBranch =
  | { readonly kind: "ahead" }
  /** `final` is undefined if the branch is below the final block. */
  | { readonly kind: "reached"; readonly final: Finalization | undefined }
  /** `final` is undefined if the chain has none of its blocks. */
  | (Contradiction & { readonly kind: "contradicted"; readonly final: Finalization | undefined });

interface KnownBranch {
  readonly set: VotingSet;
  /** Undefined if the node has no proof, or an invalid one. */
  readonly branch: VotedBranch | undefined;
  /** The newest point of the epoch when the node was asked: infinite once the epoch has ended. */
  readonly point: number;
  /** An invalid proof is not requested again while invalid ones are ignored. */
  readonly isInvalid?: boolean;
}

/** While the index catches up with final blocks, this number of newest blocks can be rolled back all the same. */
const MIN_ROLLBACK_BLOCKS = 1_440;
/**
 * After this time with invalid proofs the nodes are tried again: one that was unreachable may have a valid proof. Before
 * they are blamed again, the state is loaded again.
 */
const IGNORED_FOR_MS = 3_600_000;
/** A contradiction that lasts for this time does not pass by itself. */
const LASTING_MS = 60_000;
const CONTRADICTED = "Votes made a block final that is not in the chain of the nodes: following that chain, as they do";
/** Maximum number of proofs that are requested and verified in one round. */
const PROOFS_AT_A_TIME = 8;
const NOTHING: FinalityUpdate = {};

/**
 * Compares a branch with a chain.
 *
 * @param hashAt of the chain; undefined above its head
 * @param from the height of the final block: what is named below it is not compared
 */
export function compareWithChain(
  { epoch, point, blocks }: VotedBranch,
  { hashAt, from }: { readonly hashAt: (height: number) => Buffer | undefined; readonly from: number },
): ComparedBranch {
  let final: Finalization | undefined;
  for (const { height, hash } of blocks) {
    if (height < from) continue;
    const own = hashAt(height);
    if (!own) return { kind: "ahead" };
    if (!own.equals(hash)) {
      const vote = computeEnd({ epoch, point, blocks });
      return { kind: "contradicted", final, vote, own: { height, hash: own } };
    }
    final = { epoch, point, height, hash };
  }
  return { kind: "reached", final };
}

/**
 * Whether finalization moves forward from `known` to `next`: a later round, and no lower block; or a higher block of the
 * same round, of whose branch the chain had only the first blocks before.
 */
export function isNewer(next: Finalization, known: Finalization): boolean {
  const later = next.epoch - known.epoch || next.point - known.point;
  return later === 0 ? next.height > known.height : later > 0 && next.height >= known.height;
}

/**
 * Whether blocks above `keptHeight` may be dropped: no finalized one ever is.
 * @throws FinalizedBlockDroppedError if not
 */
export function checkRollback({ height }: Finalization, keptHeight: number): void {
  if (keptHeight < height) throw new FinalizedBlockDroppedError(height);
}

/**
 * The highest block that need not be rolled back any more, once the index is at `height`: what restores the state
 * below it is not kept.
 * @param heights of the index's finalized block, and of the one that the node claims: higher while the index catches up
 */
export function rollbackFloor(
  { finalizedHeight, nodeFinalizedHeight }: { readonly finalizedHeight: number; readonly nodeFinalizedHeight: number },
  height: number,
): number {
  return Math.max(finalizedHeight, Math.min(nodeFinalizedHeight, height - MIN_ROLLBACK_BLOCKS));
}

/** One sentence, for `/ready`. */
function describeContradiction({ vote, own }: Contradiction): string {
  return (
    `Votes of epoch ${vote.epoch}, point ${vote.point} made block ${vote.height} (${hex(vote.hash)}) final, ` +
    `which is not in the chain of the nodes: at height ${own.height}, that has ${hex(own.hash)}`
  );
}

function describeVote({ vote: { epoch, point, height, hash }, own }: Contradiction) {
  return { epoch, point, height, hash: hex(hash), ownHeight: own.height, ownHash: hex(own.hash) };
}

function isSameVote(left: Finalization, right: Finalization): boolean {
  return left.epoch === right.epoch && left.point === right.point && left.hash.equals(right.hash);
}

/** Whether the index already has everything that the node can prove of an epoch: then there is nothing to request. */
function isKnown(epoch: number, claimed: Finalization, { finalization }: Head, end: number): boolean {
  if (epoch !== finalization.epoch) return false;
  if (finalization.height === end) return true;
  const { point, height } = claimed;
  return epoch === claimed.epoch && point <= finalization.point && height <= finalization.height;
}

/** Whether the node has a block now. */
export async function hasBlock(
  node: Pick<ProofSource, "blockHashes">,
  { height, hash }: ChainPosition,
): Promise<boolean> {
  const [theirs] = await node.blockHashes(height, 1);
  return theirs?.equals(hash) === true;
}

/** The hashes of the index at the heights that a branch names. */
async function hashesBeside(db: Db, { blocks }: VotedBranch, { height, finalization: { height: from } }: Head) {
  const first = Math.max(1, from, blocks[0]?.height ?? 0);
  const last = Math.min(height, blocks.at(-1)?.height ?? 0);
  const hashes = first <= last ? await findBlockHashes(db, first, last) : new Map<number, Buffer>();
  return { from, hashAt: (at: number) => hashes.get(at) };
}
