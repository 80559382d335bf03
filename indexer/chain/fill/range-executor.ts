import { BLOCK } from "../../../catapult/entity/entity-layout.js";
import type { Block } from "../../../catapult/entity/model.js";
import { BlockRejectedError, verifySignatures } from "../../../catapult/verify/verify.js";
import type { Finalization } from "../../../database/queries/head.js";
import { computeEpoch } from "../../../ledger/config/finalization-config.js";
import { FinalizationProofError, type VotedBranch } from "../../../ledger/finalization/verify-proof.js";
import { type ProofClaim, type ProofKey, readProof } from "../../../ledger/header/generation-rules.js";
import type { HeaderFacts } from "../../../ledger/header/header-window.js";
import type { Executor } from "../execution/executor.js";
import { provenFrom } from "../execution/proven-blocks.js";
import { compareWithChain, hasBlock, rollbackFloor } from "../finality/finality.js";
import { computeEnd } from "../finality/votes.js";
import { BlockRange, type ExecutedBytes } from "../step/block-range.js";
import type { ChainEnd } from "../step/chain-position.js";
import type { RawBlock } from "../step/raw-rows.js";
import { Slices } from "../step/slices.js";
import { isFar, type RangeOptions } from "./range-options.js";

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
  readonly #options: RangeOptions;
  readonly #executor: Executor;
  readonly #isNear: boolean;
  #finalizedHeight: number;
  /** The newest executed block. */
  end: ChainEnd;
  /** The branch that the next blocks are expected to lead to, until they do, or leave it. Its end may be above the range. */
  #branch: VotedBranch | undefined;
  #isContradicted = false;
  /** The epoch in which there is nothing more to look up. */
  #lookedAhead = 0;
  /** Whether the range ended before a block, see `stopsBefore`. */
  hasStopped = false;

  /** @param start the block before the range, where the executor is */
  constructor(options: RangeOptions, start: ChainEnd) {
    this.#options = options;
    this.#executor = options.context.ledger;
    this.#isNear = !isFar(options.wanted);
    this.#finalizedHeight = options.wanted.head.finalization.height;
    this.end = start;
  }

  /**
   * Executes the next blocks. They are returned in ranges, one ending with each block that becomes final, and one
   * before a block that is rejected.
   *
   * @throws BlockRejectedError naming the block and the reason, FinalizationProofError
   */
  async *execute(blocks: readonly RawBlock[]): AsyncGenerator<BlockRange> {
    let range = new BlockRange(this.end);
    let failure: { readonly error: unknown } | undefined;
    // In between, writing gets a turn.
    const slices = new Slices();
    for (const block of blocks) {
      if (slices.isUsedUp) await slices.next();
      if (this.#stopsBefore(block)) break;
      try {
        await this.#lookAhead(range);
        await this.#executeNext(block, range);
      } catch (error) {
        failure = { error };
        break;
      }
      if (!range.final) continue;
      yield range;
      range = new BlockRange(this.end);
    }
    range.awaitsProof = this.#awaitsProof;
    range.forgetReplaced(this.#floor);
    if (range.blocks > 0) yield range;
    if (failure) throw failure.error;
  }

  #stopsBefore({ bytes }: RawBlock): boolean {
    const { stopsBefore } = this.#options.wanted;
    if (!stopsBefore || bytes.length < BLOCK.normalHeaderSize) return false;
    this.hasStopped ||= stopsBefore(Number(bytes.readBigUInt64LE(BLOCK.timestamp)));
    return this.hasStopped;
  }

  /** @throws BlockRejectedError that says so, when the block cannot be executed although votes prove it */
  async #executeNext(raw: RawBlock, range: BlockRange): Promise<void> {
    const startedAt = performance.now();
    try {
      const block = this.#executeBlock(raw, range);
      this.end = range.end;
      this.#executor.forgetUndo(this.undoFloor);
      await this.#compare(block, range);
    } catch (error) {
      const isProven = error instanceof BlockRejectedError && this.#executor.provenBlocks.hasBlock(raw.bytes);
      if (!isProven) throw error;
      const { height, field, problem } = error;
      const advice = "votes prove this block, so this program lacks a rule of the network: update it";
      throw new BlockRejectedError(height, field, `${problem} (${advice})`, { cause: error });
    }
    this.#options.clock.add({ execute: performance.now() - startedAt });
  }

  /** The next block, and those after it, are executed without checks as far as votes prove them. */
  async #trustVotes(height: number, range: BlockRange): Promise<void> {
    const { context, branches, rejected } = this.#options;
    const hashes = await provenFrom(height, context, branches);
    if (!hashes) return;
    this.#executor.provenBlocks.add(hashes);
    if (rejected?.height === height) range.missingRule ??= { height, reason: rejected.message };
  }

  /** Looks up, before the first block of an epoch and after a final block, what votes prove about the next blocks. */
  async #lookAhead(range: BlockRange): Promise<void> {
    const height = this.end.height + 1;
    const epoch = computeEpoch(height, this.#options.context.config.votingSetGrouping);
    const isNew = !this.#awaitsProof && epoch !== this.#lookedAhead;
    if (isNew) {
      this.#lookedAhead = epoch;
      this.#branch = await this.#branchTo(height, epoch);
    }
    // While the state differs, our checks say nothing about the next blocks.
    const differs = isNew && this.#executor.differsSince !== undefined;
    if (differs || height === this.#options.rejected?.height) await this.#trustVotes(height, range);
  }

  /** Whether a later block of the range proves the next ones, as far as is known. */
  get #awaitsProof(): boolean {
    return this.#branch !== undefined && computeEnd(this.#branch).height <= this.#options.wanted.to;
  }

  async #branchTo(height: number, epoch: number): Promise<VotedBranch | undefined> {
    const { branches, context } = this.#options;
    try {
      return await branches.branchTo(height, epoch, this.#executor.votingSet(epoch));
    } catch (error) {
      if (context.finality.ignoresInvalid && error instanceof FinalizationProofError) return undefined;
      throw error;
    }
  }

  #executeBlock(raw: RawBlock, range: BlockRange): Block {
    const { network, source } = this.#options.context;
    const verify = (decoded: Block, isProven: boolean) => {
      const verifying = verifySignatures(decoded, network, isProven);
      // The verification is awaited before the block is written, if the block ever is.
      verifying.catch(() => undefined);
      range.signatures.push(verifying);
    };
    const executed = this.#executor.execute(raw.bytes, range, this.#isNear ? verify : undefined);
    const { block, parent, terms, isProven } = executed;
    const { statement, subCacheMerkleRoots } = executed.execution.executed;
    if (terms) range.openClaims.push(openClaim(block, terms.key, parent!));
    const bytes: ExecutedBytes = {
      bytes: raw.bytes,
      statement,
      subCacheMerkleRoots: executed.execution.match.hasStateHash ? Buffer.concat(subCacheMerkleRoots) : NOTHING,
      target: terms?.target,
      isProven,
    };
    range.addBlock(block, bytes);
    range.difference = this.#executor.ledger!.difference();
    range.claimedHeight = this.#claimedHeight;
    if (this.#isNear) range.decoded.push(block);
    if (source.isStored && !isSameOutcome(raw, bytes)) range.recomputed.set(block.height, bytes);
    return block;
  }

  /** Blocks up to here will not be rolled back: the entries that they replaced are not kept. */
  get #floor(): number {
    const nodeFinalizedHeight = this.#claimedHeight;
    return rollbackFloor({ finalizedHeight: this.#finalizedHeight, nodeFinalizedHeight }, this.end.height);
  }

  /** Blocks up to here cannot be undone. */
  get undoFloor(): number {
    return this.#isNear ? this.#floor : this.end.height;
  }

  get #claimedHeight(): number {
    return this.#isContradicted ? 0 : this.#options.branches.claimedHeight;
  }

  /** Compares the newest block with the branch that votes name: it may end here, or the chain may have left it. */
  async #compare({ height, hash }: Block, range: BlockRange): Promise<void> {
    const branch = this.#branch;
    const named = branch?.blocks[height - branch.blocks[0]!.height];
    if (!branch || !named) return;
    const isEnd = named === branch.blocks.at(-1);
    if (named.hash.equals(hash) && !isEnd) return;
    const hashAt = (at: number) => this.#executor.hashAt(at);
    const compared = compareWithChain(branch, { hashAt, from: this.#finalizedHeight });
    if (compared.kind === "ahead") return;
    this.#branch = undefined;
    // A node may have left these blocks, whatever was voted for.
    if (this.#isNear && !(await hasBlock(this.#options.context.source, { height, hash }))) return;
    this.#isContradicted = compared.kind === "contradicted";
    if (compared.final) this.#finalize(compared.final, range);
    if (compared.kind === "contradicted") range.contradiction = compared;
    else this.#lookedAhead = 0;
  }

  #finalize(final: Finalization, range: BlockRange): void {
    range.addEntries(this.#executor.endedBy(final.height));
    this.#executor.finalize(final);
    this.#finalizedHeight = final.height;
    range.finalize(final);
  }
}

/** The parent's generation hash is computed on demand: for blocks proven by votes, it is never needed. */
function openClaim(block: Block, key: ProofKey, parent: HeaderFacts): ProofClaim {
  return {
    height: block.height,
    proof: readProof(block),
    key,
    get parentGenerationHash() {
      return parent.generationHash;
    },
  };
}

function isSameOutcome(stored: RawBlock, executed: RawBlock): boolean {
  return stored.statement.equals(executed.statement) && stored.subCacheMerkleRoots.equals(executed.subCacheMerkleRoots);
}
