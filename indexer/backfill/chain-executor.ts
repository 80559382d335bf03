import { setImmediate as nextTurn } from "node:timers/promises";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { Block, NetworkIdentity } from "../../catapult/entity/model.js";
import { BlockRefusedError } from "../../catapult/verify/block-refused-error.js";
import { type BlockOutcome, verifyBlock } from "../../catapult/verify/verify.js";
import type { Finalization } from "../../database/queries/head.js";
import type { ChainState, ExecutedBlock } from "../../ledger/engine/chain-state.js";
import type { EntryChange } from "../../ledger/engine/entry-changes.js";
import { packVoters, type VotingSet, votingSetAfter } from "../../ledger/finalization/voting-set.js";
import { headersNeeded, verifyFooter, verifyHeader } from "../../ledger/header/header-rules.js";
import type { HeaderWindow } from "../../ledger/header/header-window.js";
import { epochOf } from "../../ledger/state/epoch.js";
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
  /** Time that executing took, ms. */
  readonly ms: number;
}

/** For so long, in ms, blocks are executed at a stretch: then writing has its turn. */
const TURN_MS = 10;
const ROOT_BYTES = 32;
const ZERO_HASH = Buffer.alloc(ROOT_BYTES);

/**
 * Executes the blocks of a range, in order, and verifies of each its header, its receipts hash and its state hash. What a
 * block says of its own bytes (transactions, signatures) is for the threads that decode; nothing is written before both
 * have agreed.
 *
 * Of blocks that a verified finalization proof covers, the proof of the generation hash is not verified again. The chain
 * must then reach the proven block with the proven hash.
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
   * Executes the next blocks. They are given out in pieces, of which one ends with each block that becomes final.
   *
   * @throws BlockRefusedError naming the block and what is wrong with it, FinalizationProofError
   */
  async *execute(blocks: readonly SourceBlock[]): AsyncGenerator<ExecutedBlocks> {
    let piece = new Piece();
    let turn = performance.now();
    for (const source of blocks) {
      if (performance.now() - turn > TURN_MS) {
        await nextTurn();
        turn = performance.now();
      }
      await this.#lookAhead(this.#ledger.height + 1);
      const startedAt = performance.now();
      const block = this.#executeBlock(source, piece);
      const isFinal = this.#proven?.height === block.height;
      if (this.#proven && isFinal) this.#finalize(block, this.#proven, piece.state);
      piece.ms += performance.now() - startedAt;
      if (!isFinal) continue;
      yield piece;
      piece = new Piece();
    }
    piece.state.awaitsProof = this.#proven !== undefined;
    piece.state.forgetReplaced(this.#floor);
    if (piece.blocks.length > 0) yield piece;
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

  #executeBlock(source: SourceBlock, { blocks, state }: Piece): Block {
    const ledger = this.#ledger;
    const { block, executed } = this.#verified(source.bytes);
    this.#headers.push(block);
    ledger.forgetUndo(block.height);
    const outcome: SourceBlock = {
      bytes: source.bytes,
      statement: executed.statement,
      subCacheMerkleRoots: Buffer.concat(executed.subCacheMerkleRoots),
    };
    blocks.push(outcome);
    this.#note(block, executed.changes, state);
    if (this.#options.comparesStored && !isSameOutcome(source, outcome)) {
      const { statement, subCacheMerkleRoots } = outcome;
      state.recomputed.push({ height: block.height, statement, subCacheMerkleRoots });
    }
    return block;
  }

  #verified(bytes: Buffer): { readonly block: Block; readonly executed: ExecutedBlock } {
    const ledger = this.#ledger;
    const { network } = this.#options;
    const previous = this.#headers.head;
    const height = ledger.height + 1;
    let outcome: BlockOutcome | undefined;
    try {
      const block = decodeBlock(bytes, network);
      if (previous && !block.previousHash.equals(previous.hash)) throw unfit(block, "previousHash");
      verifyHeader(block, this.#headers, ledger, { isFinal: this.#proven !== undefined });
      const executed = ledger.execute(block);
      outcome = executed;
      if (!isReceiptsHash(block, executed)) throw unfit(block, "receiptsHash");
      if (!executed.stateHash.equals(block.entity.stateHash)) throw unfit(block, "stateHash");
      verifyFooter(block, this.#headers, () => ledger.importanceFigures(), ledger.config);
      return { block, executed };
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
    for (const change of changes) state.set(new ChangedEntry(change));
    state.addReplaced(block.height, changes);
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
      const [actual, expected] = [block.hash, proven.hash].map((hash) => hash.toString("hex").toUpperCase());
      const problem = `is ${actual}, but the votes of epoch ${proven.epoch} are for ${expected}`;
      throw new BlockRefusedError(block.height, "hash", problem);
    }
    const ledger = this.#ledger;
    for (const { kind, key } of ledger.forgottenBy(block.height)) {
      state.set({ kind, key, value: undefined });
    }
    ledger.finalize(block.height, block.timestamp);
    this.#headers.forgetBelow(block.height - headersNeeded(ledger.config));
    for (const epoch of this.#votingSets.keys()) if (epoch < proven.epoch) this.#votingSets.delete(epoch);
    this.#finalizedHeight = block.height;
    this.#proven = undefined;
    this.#lookedAhead = 0;
    state.finalizations.push(proven);
    state.forgetReplaced(block.height);
  }
}

/** Blocks that are executed one after the other. */
class Piece implements ExecutedBlocks {
  readonly blocks: SourceBlock[] = [];
  readonly state = new ExecutedState();
  ms = 0;
}

/** Serializes the value when it is asked for: of a key that changes often, only the last one is. */
class ChangedEntry {
  readonly #change: EntryChange;

  constructor(change: EntryChange) {
    this.#change = change;
  }

  get kind() {
    return this.#change.kind;
  }

  get key() {
    return this.#change.key;
  }

  get value(): Buffer | undefined {
    return this.#change.after?.value;
  }

  get history(): Buffer | undefined {
    return this.#change.after?.history;
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
