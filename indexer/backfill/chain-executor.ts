import { setImmediate as nextTurn } from "node:timers/promises";
import type { VrfProof } from "../../catapult/crypto/vrf.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { Block, NetworkIdentity } from "../../catapult/entity/model.js";
import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import { type BlockOutcome, verifyBlock } from "../../catapult/verify/verify.js";
import type { Finalization } from "../../database/queries/head.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import { checkOrNote, type OverruledCheck } from "../../ledger/engine/overruled-check.js";
import { FinalizationProofError, type VotedBranch } from "../../ledger/finalization/verify-proof.js";
import { type GenerationTerms, type ProofClaim, proofOf } from "../../ledger/header/generation-rules.js";
import { verifyHeaderByState } from "../../ledger/header/header-rules.js";
import type { HeaderFacts } from "../../ledger/header/header-window.js";
import { epochOf } from "../../ledger/state/epoch.js";
import type { ProofKey } from "../../ledger/state/generation-proof.js";
import { asRejection, type ExecutedChain, type Execution } from "../chain/executed-chain.js";
import { FIRST_VOTED_EPOCH, firstVoters } from "../execution/first-voters.js";
import { rollbackFloor, standingOf } from "../finality/finality.js";
import { type ComparedChain, ProvenHashes, provenHashes } from "../finality/proven-chain.js";
import { endOf } from "../finality/voted-branch.js";
import type { VotedBranches } from "../finality/voted-branches.js";
import { ExecutedState } from "./executed-state.js";
import type { SourceBlock } from "./source.js";

export interface ChainExecutorOptions {
  readonly network: NetworkIdentity;
  readonly chain: ExecutedChain;
  readonly branches: VotedBranches;
  /** The last block of the range. */
  readonly to: number;
  /** Reads blocks of the source again: to see which of them lead to those that votes name. */
  readonly readAgain: ComparedChain["read"];
  /** The block that an earlier attempt rejected, after it was executed: votes are to overrule the check, if they can. */
  readonly doubted?: BlockRejectedError | undefined;
  /** Whether blocks are executed as if there were no proof where it is invalid. */
  readonly ignoresInvalidProofs?: boolean;
  /** Whether blocks have stored statements and roots, to be compared with those from execution. */
  readonly comparesStored: boolean;
}

/** Blocks with the statements and roots from their execution. */
export interface ExecutedBlocks {
  readonly blocks: readonly SourceBlock[];
  readonly state: ExecutedState;
  /** Generation hash proofs that no votes are known to cover: to be verified before any of these blocks is written. */
  readonly openClaims: readonly ProofClaim[];
  /** Duration of the execution, ms. */
  readonly ms: number;
}

const NOTHING = Buffer.alloc(0);

/** Maximum duration of execution without interruption, in ms: then writing gets a turn. */
const TURN_MS = 10;

/**
 * Executes the blocks of a range, in order, and verifies the header, receipts hash and state hash of each. Checks of
 * a block by itself (transactions, signatures, the hit of its generation hash) are left to the decoding threads, and
 * so are proofs of generation hashes; nothing is written before all have succeeded.
 *
 * For blocks covered by a verified finalization proof, the proof of the generation hash is not verified once the
 * chain has reached the proven block with the proven hash. Until then it is an open claim.
 */
export class ChainExecutor {
  readonly #options: ChainExecutorOptions;
  readonly #chain: ExecutedChain;
  readonly #ledger: ChainState;
  #finalizedHeight: number;
  /** The branch that the next blocks are expected to lead to, until they do, or leave it. Its end may be above the range. */
  #branch: VotedBranch | undefined;
  #isContradicted = false;
  readonly #provenBlocks = new ProvenHashes();
  /** The epoch in which there is nothing more to look up. */
  #lookedAhead = 0;
  #failure: unknown;

  /** @param finalizedHeight of the index */
  constructor(options: ChainExecutorOptions, finalizedHeight: number) {
    this.#options = options;
    this.#chain = options.chain;
    this.#ledger = options.chain.ledger;
    this.#finalizedHeight = finalizedHeight;
  }

  /** What ended the execution: votes do not overrule it. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Height since which the state differs from that of the network; undefined while its state hash is right. */
  get differsSince(): number | undefined {
    return this.#ledger.differsSince;
  }

  /**
   * Executes the next blocks. They are returned in pieces, one ending with each block that becomes final, and one
   * before a block that is rejected.
   *
   * @throws BlockRejectedError naming the block and the reason, FinalizationProofError
   */
  async *execute(blocks: readonly SourceBlock[]): AsyncGenerator<ExecutedBlocks> {
    let piece = new Piece();
    let failure: { readonly error: unknown } | undefined;
    let turn = performance.now();
    for (const source of blocks) {
      if (performance.now() - turn > TURN_MS) {
        await nextTurn();
        turn = performance.now();
      }
      try {
        await this.#lookAhead(this.#ledger.height + 1);
        if (this.#ledger.height + 1 === this.#options.doubted?.height) await this.#overrule(source);
        try {
          this.#executeNext(source, piece);
        } catch (error) {
          if (!(error instanceof BlockRejectedError)) throw error;
          if (!this.#provenBlocks.hasBlock(source.bytes) && !(await this.#overrule(source))) throw error;
          this.#executeProven(source, piece);
        }
      } catch (error) {
        this.#failure = error;
        failure = { error };
        break;
      }
      if (piece.state.finalizations.length === 0) continue;
      yield piece;
      piece = new Piece();
    }
    piece.state.awaitsProof = this.#awaitsProof;
    piece.state.forgetReplaced(this.#floor);
    if (piece.blocks.length > 0) yield piece;
    if (failure) throw failure.error;
  }

  #executeNext(source: SourceBlock, piece: Piece): void {
    const startedAt = performance.now();
    const block = this.#executeBlock(source, piece);
    this.#compare(block, piece.state);
    piece.ms += performance.now() - startedAt;
  }

  /** @throws BlockRejectedError that says so, when the block cannot be executed although votes prove it */
  #executeProven(source: SourceBlock, piece: Piece): void {
    try {
      this.#executeNext(source, piece);
    } catch (error) {
      if (!(error instanceof BlockRejectedError)) throw error;
      const { height, field, problem } = error;
      const advice = "votes prove this block, so this program lacks a rule of the network: update it";
      throw new BlockRejectedError(height, field, `${problem} (${advice})`, { cause: error });
    }
  }

  /** Whether votes prove the next block: then it is executed without its checks. False if they had proven it before. */
  async #overrule({ bytes }: SourceBlock): Promise<boolean> {
    const height = this.#ledger.height + 1;
    const branch = height === 1 ? await this.#branchFromFirst(bytes) : this.#branch;
    if (!branch) return false;
    const { network, readAgain } = this.#options;
    const hashes = await provenHashes(branch, height, { network, read: readAgain });
    return hashes !== undefined && this.#provenBlocks.add(hashes) && this.#provenBlocks.hasBlock(bytes);
  }

  async #branchFromFirst(bytes: Buffer): Promise<VotedBranch | undefined> {
    const { branches, network } = this.#options;
    try {
      const voters = firstVoters(bytes, network, this.#ledger.config);
      return await branches.branchTo(1, FIRST_VOTED_EPOCH, voters);
    } catch (error) {
      if (error instanceof BlockRejectedError || error instanceof FinalizationProofError) return undefined;
      throw error;
    }
  }

  /** Looks up, before the first block of an epoch and after a final block, what votes prove about the next blocks. */
  async #lookAhead(height: number): Promise<void> {
    const epoch = epochOf(height, this.#ledger.config.votingSetGrouping);
    if (this.#awaitsProof || epoch === this.#lookedAhead) return;
    this.#lookedAhead = epoch;
    this.#branch = await this.#branchTo(height, epoch);
  }

  /** Whether a later block of the range proves the next ones, as far as is known. */
  get #awaitsProof(): boolean {
    return this.#branch !== undefined && endOf(this.#branch).height <= this.#options.to;
  }

  async #branchTo(height: number, epoch: number): Promise<VotedBranch | undefined> {
    const { branches, ignoresInvalidProofs } = this.#options;
    try {
      return await branches.branchTo(height, epoch, this.#chain.votingSets.get(epoch));
    } catch (error) {
      if (ignoresInvalidProofs && error instanceof FinalizationProofError) return undefined;
      throw error;
    }
  }

  #executeBlock(source: SourceBlock, piece: Piece): Block {
    const ledger = this.#ledger;
    const { state } = piece;
    const overruled: OverruledCheck[] | undefined = this.#provenBlocks.hasBlock(source.bytes) ? [] : undefined;
    const parent = this.#chain.headers.head;
    const { block, execution, terms } = this.#verified(source.bytes, overruled, state);
    const { executed, match, differed } = execution;
    if (terms) {
      const claim = new OpenClaim(block, terms.key, parent!);
      (this.#awaitsProof ? state.openClaims : piece.openClaims).push(claim);
    }
    ledger.forgetUndo(block.height);
    const outcome: SourceBlock = {
      bytes: source.bytes,
      statement: executed.statement,
      subCacheMerkleRoots: match.hasStateHash ? Buffer.concat(executed.subCacheMerkleRoots) : NOTHING,
      target: terms?.target,
      isProven: overruled !== undefined,
      hasOtherReceipts: !match.hasReceiptsHash,
    };
    const { doubted } = this.#options;
    const hasHashes = match.hasStateHash && match.hasReceiptsHash;
    if (overruled?.length === 0 && !differed && hasHashes && doubted?.height === block.height) {
      state.overruled.push({ height: block.height, rule: doubted.field, transaction: undefined });
    }
    state.difference = ledger.difference();
    piece.blocks.push(outcome);
    state.add(block.height, executed.changes);
    state.claimedHeight = this.#claimedHeight;
    if (this.#options.comparesStored && !isSameOutcome(source, outcome)) {
      const { statement, subCacheMerkleRoots } = outcome;
      state.recomputed.push({ height: block.height, statement, subCacheMerkleRoots });
    }
    return block;
  }

  #verified(bytes: Buffer, overruled: OverruledCheck[] | undefined, state: ExecutedState): VerifiedExecution {
    const chain = this.#chain;
    const { ledger, headers } = chain;
    const { network } = this.#options;
    const previous = headers.head;
    const height = ledger.height + 1;
    let outcome: BlockOutcome | undefined;
    try {
      const block = decodeBlock(bytes, network);
      if (previous && !block.previousHash.equals(previous.hash)) throw unfit(block, "previousHash");
      let terms: GenerationTerms | undefined;
      checkOrNote(overruled, height, () => {
        terms = verifyHeaderByState(block, headers, ledger);
      });
      const execution = chain.execute(block, overruled);
      outcome = execution.executed;
      const { hasReceiptsHash, hasStateHash } = execution.match;
      if (!overruled && !hasReceiptsHash) throw unfit(block, "receiptsHash");
      if (!overruled && !hasStateHash) throw unfit(block, "stateHash");
      chain.accept(block, execution, overruled, state);
      // Of a block that votes prove, the generation hash needs no proof.
      return { block, execution, terms: overruled ? undefined : terms };
    } catch (error) {
      ledger.rollbackTo(height - 1);
      // An error in the bytes themselves is the cause of everything else, and is reported first.
      verifyBlock({
        bytes,
        statementBytes: Buffer.alloc(0),
        network,
        ...(previous && { previous }),
        checkSignatures: false,
        execute: () => {
          if (outcome) return outcome;
          throw asRejection(height, error);
        },
      });
      throw asRejection(height, error);
    }
  }

  /** Blocks up to here will not be rolled back: the entries that they replaced are not kept. */
  get #floor(): number {
    const nodeFinalizedHeight = this.#claimedHeight;
    return rollbackFloor({ finalizedHeight: this.#finalizedHeight, nodeFinalizedHeight }, this.#ledger.height);
  }

  get #claimedHeight(): number {
    return this.#isContradicted ? 0 : this.#options.branches.claimedHeight;
  }

  /** Compares the newest block with the branch that votes name: it may end here, or the chain may have left it. */
  #compare({ height, hash }: Block, state: ExecutedState): void {
    const branch = this.#branch;
    const named = branch?.blocks[height - branch.blocks[0]!.height];
    if (!branch || !named) return;
    const isEnd = named === branch.blocks.at(-1);
    if (named.hash.equals(hash) && !isEnd) return;
    const hashAt = (at: number) => this.#chain.headers.at(at)?.hash;
    const standing = standingOf(branch, { hashAt, from: this.#finalizedHeight });
    if (standing.kind === "ahead") return;
    this.#branch = undefined;
    this.#isContradicted = standing.kind === "contradicted";
    if (standing.final) this.#finalize(standing.final, state);
    if (standing.kind === "contradicted") state.contradiction = standing;
    else this.#lookedAhead = 0;
  }

  #finalize(final: Finalization, state: ExecutedState): void {
    const ledger = this.#ledger;
    const { timestamp } = this.#chain.headers.at(final.height)!;
    state.end(ledger.endedBy(final.height));
    ledger.finalize(final.height, timestamp);
    this.#chain.forgetFinal(final.height, final.epoch);
    this.#finalizedHeight = final.height;
    state.finalize(final);
  }
}

/** Consecutive executed blocks. */
class Piece implements ExecutedBlocks {
  readonly blocks: SourceBlock[] = [];
  readonly state = new ExecutedState();
  readonly openClaims: ProofClaim[] = [];
  ms = 0;
}

interface VerifiedExecution {
  readonly block: Block;
  readonly execution: Execution;
  /** What remains to be verified of the generation hash; undefined for the first block. */
  readonly terms: GenerationTerms | undefined;
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

/** Used if no more specific error is found in the block. */
function unfit({ height }: Block, field: string): BlockRejectedError {
  return new BlockRejectedError(height, field, "does not match the block");
}

function isSameOutcome(stored: SourceBlock, outcome: SourceBlock): boolean {
  return stored.statement.equals(outcome.statement) && stored.subCacheMerkleRoots.equals(outcome.subCacheMerkleRoots);
}
