import { setImmediate as nextTurn } from "node:timers/promises";
import type { VrfProof } from "../../catapult/crypto/vrf.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import { hex } from "../../catapult/entity/hex.js";
import type { Block, NetworkIdentity } from "../../catapult/entity/model.js";
import { BlockRefusedError } from "../../catapult/verify/block-refused-error.js";
import { type BlockOutcome, verifyBlock } from "../../catapult/verify/verify.js";
import type { Finalization } from "../../database/queries/head.js";
import type { ChainState, ExecutedBlock } from "../../ledger/engine/chain-state.js";
import type { EntryChange } from "../../ledger/engine/entry-changes.js";
import { packVoters, type VotingSet, votingSetAfter } from "../../ledger/finalization/voting-set.js";
import { type GenerationTerms, type ProofClaim, proofOf } from "../../ledger/header/generation-rules.js";
import { headersNeeded, verifyFooter, verifyHeaderByState } from "../../ledger/header/header-rules.js";
import { type HeaderFacts, type HeaderWindow, headerFactsOf } from "../../ledger/header/header-window.js";
import { epochOf } from "../../ledger/state/epoch.js";
import type { ProofKey } from "../../ledger/state/generation-proof.js";
import { floorOf } from "../execution/ledger-follower.js";
import { asRefusal, type LoadedLedger } from "../execution/loaded-ledger.js";
import { ExecutedState } from "./executed-state.js";
import type { Finality } from "./finality.js";
import type { SourceBlock } from "./source.js";

export interface ChainExecutorOptions {
  readonly network: NetworkIdentity;
  readonly loaded: LoadedLedger;
  readonly finality: Finality;
  /** The last block of the range. */
  readonly to: number;
  /** Whether statements and roots of blocks are stored already, and are to be compared with those of executing them. */
  readonly comparesStored: boolean;
}

/** Blocks with the statements and roots that came of executing them. */
export interface ExecutedBlocks {
  readonly blocks: readonly SourceBlock[];
  readonly state: ExecutedState;
  /** Generation hash proofs that no votes are known to cover: to be verified before anything of this is written. */
  readonly openClaims: readonly ProofClaim[];
  /** Time that executing took, ms. */
  readonly ms: number;
}

/** For so long, in ms, blocks are executed at a stretch: then writing has its turn. */
const TURN_MS = 10;
const ROOT_BYTES = 32;
const ZERO_HASH = Buffer.alloc(ROOT_BYTES);

/**
 * Executes the blocks of a range, in order, and verifies of each its header, its receipts hash and its state hash. What a
 * block says of its own bytes (transactions, signatures, the hit of its generation hash) is for the threads that decode, and
 * so are proofs of generation hashes; nothing is written before all have agreed.
 *
 * Of blocks that a verified finalization proof covers, the proof of the generation hash is not verified once the chain has
 * reached the proven block with the proven hash. Until then it is an open claim.
 */
export class ChainExecutor {
  readonly #options: ChainExecutorOptions;
  readonly #ledger: ChainState;
  readonly #headers: HeaderWindow;
  readonly #votingSets: Map<number, VotingSet>;
  #finalizedHeight: number;
  /** The final block that the next ones lead to, until it is reached. */
  #proven: Finalization | undefined;
  /** The epoch in which there is nothing more to be found out. */
  #lookedAhead = 0;

  /** @param finalizedHeight of the index */
  constructor(options: ChainExecutorOptions, finalizedHeight: number) {
    this.#options = options;
    this.#ledger = options.loaded.ledger;
    this.#headers = options.loaded.headers;
    this.#votingSets = options.loaded.votingSets;
    this.#finalizedHeight = finalizedHeight;
  }

  /**
   * Executes the next blocks. They are given out in pieces, of which one ends with each block that becomes final, and one
   * before a block that is rejected.
   *
   * @throws BlockRefusedError naming the block and what is wrong with it, FinalizationProofError
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
        this.#executeNext(source, piece);
      } catch (error) {
        failure = { error };
        break;
      }
      if (piece.state.finalizations.length === 0) continue;
      yield piece;
      piece = new Piece();
    }
    piece.state.awaitsProof = this.#proven !== undefined;
    piece.state.forgetReplaced(this.#floor);
    if (piece.blocks.length > 0) yield piece;
    if (failure) throw failure.error;
  }

  #executeNext(source: SourceBlock, piece: Piece): void {
    const startedAt = performance.now();
    const block = this.#executeBlock(source, piece);
    if (this.#proven?.height === block.height) this.#finalize(block, this.#proven, piece.state);
    piece.ms += performance.now() - startedAt;
  }

  /** Finds out, before the first block of an epoch and behind a final block, what votes prove of the blocks to come. */
  async #lookAhead(height: number): Promise<void> {
    const epoch = epochOf(height, this.#ledger.config.votingSetGrouping);
    if (this.#proven || epoch === this.#lookedAhead) return;
    this.#lookedAhead = epoch;
    const { finality, to } = this.#options;
    const proven = await finality.finalAbove(height, epoch, this.#votingSets.get(epoch));
    // What is proven by a block behind the range would never be compared.
    if (proven && proven.height <= to) this.#proven = proven;
  }

  #executeBlock(source: SourceBlock, piece: Piece): Block {
    const ledger = this.#ledger;
    const { state } = piece;
    const { block, executed, terms } = this.#verified(source.bytes);
    if (terms) this.#noteClaim(block, terms.key, piece);
    this.#headers.push(headerFactsOf(block));
    ledger.forgetUndo(block.height);
    const outcome: SourceBlock = {
      bytes: source.bytes,
      statement: executed.statement,
      subCacheMerkleRoots: Buffer.concat(executed.subCacheMerkleRoots),
      target: terms?.target,
    };
    piece.blocks.push(outcome);
    this.#note(block, executed.changes, state);
    if (this.#options.comparesStored && !isSameOutcome(source, outcome)) {
      const { statement, subCacheMerkleRoots } = outcome;
      state.recomputed.push({ height: block.height, statement, subCacheMerkleRoots });
    }
    return block;
  }

  #noteClaim(block: Block, key: ProofKey, { state, openClaims }: Piece): void {
    const claim = new OpenClaim(block, key, this.#headers.head!);
    (this.#proven ? state.openClaims : openClaims).push(claim);
  }

  #verified(bytes: Buffer): VerifiedExecution {
    const ledger = this.#ledger;
    const { network } = this.#options;
    const previous = this.#headers.head;
    const height = ledger.height + 1;
    let outcome: BlockOutcome | undefined;
    try {
      const block = decodeBlock(bytes, network);
      if (previous && !block.previousHash.equals(previous.hash)) throw unfit(block, "previousHash");
      const terms = verifyHeaderByState(block, this.#headers, ledger);
      const executed = ledger.execute(block);
      outcome = executed;
      if (!isReceiptsHash(block, executed)) throw unfit(block, "receiptsHash");
      if (!executed.stateHash.equals(block.entity.stateHash)) throw unfit(block, "stateHash");
      verifyFooter(block, this.#headers, () => ledger.importanceFigures(), ledger.config);
      return { block, executed, terms };
    } catch (error) {
      // What is wrong with the bytes themselves is the reason for everything else, and is named first.
      verifyBlock({
        bytes,
        statementBytes: Buffer.alloc(0),
        network,
        ...(previous && { previous }),
        checkSignatures: false,
        execute: () => {
          if (outcome) return outcome;
          throw asRefusal(height, error);
        },
      });
      throw asRefusal(height, error);
    }
  }

  #note(block: Block, changes: readonly EntryChange[], state: ExecutedState): void {
    const ledger = this.#ledger;
    state.add(block.height, changes);
    const set = votingSetAfter(ledger.tables, ledger.config, block.height);
    if (!set) return;
    this.#votingSets.set(set.epoch, set);
    const { epoch, height, voters } = set;
    state.votingSets.push({ epoch, height, voters: packVoters(voters) });
  }

  /** Blocks up to here will not be taken back: of them, nothing is kept that was replaced. */
  get #floor(): number {
    const { claimedHeight } = this.#options.finality;
    return floorOf({ finalizedHeight: this.#finalizedHeight, nodeFinalizedHeight: claimedHeight }, this.#ledger.height);
  }

  /** @throws BlockRefusedError when another block than this one is proven */
  #finalize(block: Block, proven: Finalization, state: ExecutedState): void {
    if (!block.hash.equals(proven.hash)) {
      const [actual, expected] = [block.hash, proven.hash].map((hash) => hex(hash));
      const problem = `is ${actual}, but the votes of epoch ${proven.epoch} are for ${expected}`;
      throw new BlockRefusedError(block.height, "hash", problem);
    }
    const ledger = this.#ledger;
    state.forget(ledger.forgottenBy(block.height));
    ledger.finalize(block.height, block.timestamp);
    this.#headers.forgetBelow(block.height - headersNeeded(ledger.config));
    for (const epoch of this.#votingSets.keys()) if (epoch < proven.epoch) this.#votingSets.delete(epoch);
    this.#finalizedHeight = block.height;
    this.#proven = undefined;
    this.#lookedAhead = 0;
    state.finalize(proven);
  }
}

/** Blocks that are executed one after the other. */
class Piece implements ExecutedBlocks {
  readonly blocks: SourceBlock[] = [];
  readonly state = new ExecutedState();
  readonly openClaims: ProofClaim[] = [];
  ms = 0;
}

interface VerifiedExecution {
  readonly block: Block;
  readonly executed: ExecutedBlock;
  /** What is left to be verified of the generation hash; undefined for the first block. */
  readonly terms: GenerationTerms | undefined;
}

/** Computes the parent's generation hash when it is asked for: of blocks that votes prove, it never is. */
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

/** A network that writes no receipts leaves the hash out. */
function isReceiptsHash({ entity }: Block, { receiptsHash }: ExecutedBlock): boolean {
  return receiptsHash.equals(entity.receiptsHash) || ZERO_HASH.equals(entity.receiptsHash);
}

/** For the case that nothing more exact is found wrong with the block. */
function unfit({ height }: Block, field: string): BlockRefusedError {
  return new BlockRefusedError(height, field, "does not fit the block");
}

function isSameOutcome(stored: SourceBlock, outcome: SourceBlock): boolean {
  return stored.statement.equals(outcome.statement) && stored.subCacheMerkleRoots.equals(outcome.subCacheMerkleRoots);
}
