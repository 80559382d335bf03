import type { Logger } from "pino";
import type { VrfProof } from "../../../catapult/crypto/vrf.js";
import { BLOCK } from "../../../catapult/entity/entity-layout.js";
import type { Block, NetworkIdentity } from "../../../catapult/entity/model.js";
import { BlockRejectedError, verifySignatures } from "../../../catapult/verify/verify.js";
import type { Finalization } from "../../../database/queries/head.js";
import { epochOf } from "../../../ledger/config/finalization-config.js";
import { FinalizationProofError, type VotedBranch } from "../../../ledger/finalization/verify-proof.js";
import { type ProofClaim, type ProofKey, proofOf } from "../../../ledger/header/generation-rules.js";
import type { HeaderFacts } from "../../../ledger/header/header-window.js";
import { ExecutedState } from "../execution/executed-state.js";
import type { Executor } from "../execution/executor.js";
import { provenFrom } from "../execution/proven-blocks.js";
import { hasBlock, rollbackFloor, standingOf } from "../finality/finality.js";
import { endOf, type VotedBranches } from "../finality/votes.js";
import type { Source, SourceBlock } from "../source/source.js";
import { type ChainEnd, endAfter } from "../step/chain-position.js";
import { Slices } from "../step/slices.js";
import type { Chunk } from "./decode-chunk.js";

export interface RangeExecutorOptions {
  /** At the block before the range. */
  readonly executor: Executor;
  readonly start: ChainEnd;
  /** Of the index. */
  readonly finalizedHeight: number;
  /** Of a stored one, statements and roots are compared with those from execution. */
  readonly source: Pick<Source, "isStored" | "blocks" | "blockHashes" | "chain" | "branches">;
  /** What votes prove of the blocks, also of one that a check of ours rejects. */
  readonly branches: VotedBranches;
  readonly network: NetworkIdentity;
  readonly log: Logger;
  /** The last block of the range. */
  readonly to: number;
  /** Whether a block with this timestamp (ms since the network's epoch) ends the range before it. */
  readonly stopsBefore?: ((timestamp: number) => boolean) | undefined;
  /**
   * Whether the range is near the source's head: then blocks that are not final can be undone. Far below it, the state is
   * loaded again, should they be dropped, and no events are made of blocks.
   */
  readonly isNear: boolean;
  /** A block that was rejected: it is executed without checks if votes prove it. */
  readonly rejected?: BlockRejectedError | undefined;
  /** Whether blocks are executed as if there were no proof where it is invalid. */
  readonly ignoresInvalidProofs?: boolean;
}

/** Blocks with the statements and roots from their execution. */
export interface ExecutedBlocks extends Chunk {
  /** The same blocks, decoded; none far below the head. */
  readonly decoded: readonly Block[];
  readonly state: ExecutedState;
  /** Generation hash proofs that no votes are known to cover: to be verified before any of these blocks is written. */
  readonly openClaims: readonly ProofClaim[];
  /** Near the head: the verification of their signatures. @throws BlockRejectedError */
  readonly signatures: readonly Promise<void>[];
  /** Duration of the execution, ms. */
  readonly ms: number;
}

const NOTHING = Buffer.alloc(0);

/**
 * Executes the blocks of a range, in order, and verifies the header, receipts hash and state hash of each. Checks of
 * a block by itself (transactions, signatures, the hit of its generation hash) are left to the decoding threads, and
 * so are proofs of generation hashes; nothing is written before all have succeeded.
 *
 * For blocks covered by a verified finalization proof, the proof of the generation hash is not verified once the
 * chain has reached the proven block with the proven hash. Until then it is an open claim.
 */
export class RangeExecutor {
  readonly #options: RangeExecutorOptions;
  readonly #executor: Executor;
  #finalizedHeight: number;
  /** The newest executed block. */
  #end: ChainEnd;
  /** The branch that the next blocks are expected to lead to, until they do, or leave it. Its end may be above the range. */
  #branch: VotedBranch | undefined;
  #isContradicted = false;
  /** The epoch in which there is nothing more to look up. */
  #lookedAhead = 0;
  #hasStopped = false;

  constructor(options: RangeExecutorOptions) {
    this.#options = options;
    this.#executor = options.executor;
    this.#finalizedHeight = options.finalizedHeight;
    this.#end = options.start;
  }

  /** The newest executed block. */
  get end(): ChainEnd {
    return this.#end;
  }

  /** Whether the range ended before a block, see `stopsBefore`. */
  get hasStopped(): boolean {
    return this.#hasStopped;
  }

  /**
   * Executes the next blocks. They are returned in pieces, one ending with each block that becomes final, and one
   * before a block that is rejected.
   *
   * @throws BlockRejectedError naming the block and the reason, FinalizationProofError
   */
  async *execute(blocks: readonly SourceBlock[]): AsyncGenerator<ExecutedBlocks> {
    let piece = new Piece(this.#end);
    let failure: { readonly error: unknown } | undefined;
    // In between, writing gets a turn.
    const slices = new Slices();
    for (const source of blocks) {
      if (slices.isOver) await slices.next();
      if (this.#stopsBefore(source)) break;
      try {
        await this.#lookAhead(this.#end.height + 1, piece.state);
        await this.#executeNext(source, piece);
      } catch (error) {
        failure = { error };
        break;
      }
      if (piece.state.finalizations.length === 0) continue;
      yield piece;
      piece = new Piece(this.#end);
    }
    piece.state.awaitsProof = this.#awaitsProof;
    piece.state.forgetReplaced(this.#floor);
    if (piece.blocks.length > 0) yield piece;
    if (failure) throw failure.error;
  }

  #stopsBefore({ bytes }: SourceBlock): boolean {
    const { stopsBefore } = this.#options;
    if (!stopsBefore || bytes.length < BLOCK.normalHeaderSize) return false;
    this.#hasStopped ||= stopsBefore(Number(bytes.readBigUInt64LE(BLOCK.timestamp)));
    return this.#hasStopped;
  }

  /** @throws BlockRejectedError that says so, when the block cannot be executed although votes prove it */
  async #executeNext(source: SourceBlock, piece: Piece): Promise<void> {
    const startedAt = performance.now();
    const { provenBlocks } = this.#executor;
    try {
      const block = this.#executeBlock(source, piece);
      this.#end = endAfter(this.#end, block);
      this.#executor.forgetUndo(this.undoFloor);
      await this.#compare(block, piece.state);
    } catch (error) {
      if (!(error instanceof BlockRejectedError) || !provenBlocks.hasBlock(source.bytes)) throw error;
      const { height, field, problem } = error;
      const advice = "votes prove this block, so this program lacks a rule of the network: update it";
      throw new BlockRejectedError(height, field, `${problem} (${advice})`, { cause: error });
    }
    piece.ms += performance.now() - startedAt;
  }

  /** The next block, and those after it, are executed without checks as far as votes prove them. */
  async #trustVotes(height: number, state: ExecutedState): Promise<void> {
    const hashes = await provenFrom(height, { ...this.#options, ledger: this.#executor });
    if (!hashes) return;
    this.#executor.provenBlocks.add(hashes);
    const { rejected } = this.#options;
    if (rejected?.height === height) state.missingRule ??= { height, reason: rejected.message };
  }

  /** Looks up, before the first block of an epoch and after a final block, what votes prove about the next blocks. */
  async #lookAhead(height: number, state: ExecutedState): Promise<void> {
    const { votingSetGrouping } = this.#executor.ledger!.config;
    const epoch = epochOf(height, votingSetGrouping);
    const isNew = !this.#awaitsProof && epoch !== this.#lookedAhead;
    if (isNew) {
      this.#lookedAhead = epoch;
      this.#branch = await this.#branchTo(height, epoch);
    }
    // While the state differs, our checks say nothing about the next blocks.
    const differs = isNew && this.#executor.differsSince !== undefined;
    if (differs || height === this.#options.rejected?.height) await this.#trustVotes(height, state);
  }

  /** Whether a later block of the range proves the next ones, as far as is known. */
  get #awaitsProof(): boolean {
    return this.#branch !== undefined && endOf(this.#branch).height <= this.#options.to;
  }

  async #branchTo(height: number, epoch: number): Promise<VotedBranch | undefined> {
    const { branches, ignoresInvalidProofs } = this.#options;
    try {
      return await branches.branchTo(height, epoch, this.#executor.votingSet(epoch));
    } catch (error) {
      if (ignoresInvalidProofs && error instanceof FinalizationProofError) return undefined;
      throw error;
    }
  }

  #executeBlock(source: SourceBlock, piece: Piece): Block {
    const { state } = piece;
    const { isNear, network } = this.#options;
    let verifying: Promise<void> | undefined;
    const verify = (decoded: Block, proven: boolean) => {
      verifying = verifySignatures(decoded, network, proven);
      // It is awaited before the block is written, if it ever is.
      verifying.catch(() => undefined);
    };
    const onDecoded = isNear ? verify : undefined;
    const { block, execution, parent, terms, isProven } = this.#executor.execute(source.bytes, state, onDecoded);
    if (verifying) piece.signatures.push(verifying);
    const { executed, match } = execution;
    if (terms) {
      const claim = new OpenClaim(block, terms.key, parent!);
      (this.#awaitsProof ? state.openClaims : piece.openClaims).push(claim);
    }
    const outcome: SourceBlock = {
      bytes: source.bytes,
      statement: executed.statement,
      subCacheMerkleRoots: match.hasStateHash ? Buffer.concat(executed.subCacheMerkleRoots) : NOTHING,
      target: terms?.target,
      isProven,
    };
    state.difference = this.#executor.ledger!.difference();
    piece.blocks.push(outcome);
    if (isNear) piece.decoded.push(block);
    state.claimedHeight = this.#claimedHeight;
    if (this.#options.source.isStored && !isSameOutcome(source, outcome)) {
      const { statement, subCacheMerkleRoots } = outcome;
      state.recomputed.push({ height: block.height, statement, subCacheMerkleRoots });
    }
    return block;
  }

  /** Blocks up to here will not be rolled back: the entries that they replaced are not kept. */
  get #floor(): number {
    const nodeFinalizedHeight = this.#claimedHeight;
    return rollbackFloor({ finalizedHeight: this.#finalizedHeight, nodeFinalizedHeight }, this.#end.height);
  }

  /** Blocks up to here cannot be undone. */
  get undoFloor(): number {
    return this.#options.isNear ? this.#floor : this.#end.height;
  }

  get #claimedHeight(): number {
    return this.#isContradicted ? 0 : this.#options.branches.claimedHeight;
  }

  /** Compares the newest block with the branch that votes name: it may end here, or the chain may have left it. */
  async #compare({ height, hash }: Block, state: ExecutedState): Promise<void> {
    const branch = this.#branch;
    const named = branch?.blocks[height - branch.blocks[0]!.height];
    if (!branch || !named) return;
    const isEnd = named === branch.blocks.at(-1);
    if (named.hash.equals(hash) && !isEnd) return;
    const hashAt = (at: number) => this.#executor.hashAt(at);
    const standing = standingOf(branch, { hashAt, from: this.#finalizedHeight });
    if (standing.kind === "ahead") return;
    this.#branch = undefined;
    const { isNear, source } = this.#options;
    // A node may have left these blocks, whatever was voted for.
    if (isNear && !(await hasBlock(source, { height, hash }))) return;
    this.#isContradicted = standing.kind === "contradicted";
    if (standing.final) this.#finalize(standing.final, state);
    if (standing.kind === "contradicted") state.contradiction = standing;
    else this.#lookedAhead = 0;
  }

  #finalize(final: Finalization, state: ExecutedState): void {
    state.end(this.#executor.endedBy(final.height));
    this.#executor.finalize(final);
    this.#finalizedHeight = final.height;
    state.finalize(final);
  }
}

/** Consecutive executed blocks. */
class Piece implements ExecutedBlocks {
  readonly parent: ChainEnd;
  readonly blocks: SourceBlock[] = [];
  readonly decoded: Block[] = [];
  readonly state = new ExecutedState();
  readonly openClaims: ProofClaim[] = [];
  readonly signatures: Promise<void>[] = [];
  ms = 0;

  constructor(parent: ChainEnd) {
    this.parent = parent;
  }
}

/** Computes the parent's generation hash on demand: for blocks proven by votes, it is never needed. */
class OpenClaim implements ProofClaim {
  readonly height: number;
  readonly proof: VrfProof;
  readonly key: ProofKey;
  readonly #parent: HeaderFacts;

  constructor(block: Block, key: ProofKey, parent: HeaderFacts) {
    this.height = block.height;
    this.proof = proofOf(block);
    this.key = key;
    this.#parent = parent;
  }

  get parentGenerationHash(): Buffer {
    return this.#parent.generationHash;
  }
}

function isSameOutcome(stored: SourceBlock, outcome: SourceBlock): boolean {
  return stored.statement.equals(outcome.statement) && stored.subCacheMerkleRoots.equals(outcome.subCacheMerkleRoots);
}
