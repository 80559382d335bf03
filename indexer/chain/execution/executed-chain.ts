import type { Block } from "../../../catapult/entity/model.js";
import type { StateKey } from "../../../catapult/state/key.js";
import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import type { ChainState } from "../../../ledger/engine/chain-state.js";
import { BlockExecutionError, type ExecutedBlock } from "../../../ledger/engine/executed-block.js";
import { type HeaderMatch, headerMatch, matchesHeader } from "../../../ledger/engine/header-match.js";
import { packVoters, type VotingSet, votingSetAfter } from "../../../ledger/finalization/voting-set.js";
import type { GenerationTerms } from "../../../ledger/header/generation-rules.js";
import { headersNeeded, verifyFooter } from "../../../ledger/header/header-rules.js";
import { copyHeaderFacts, type HeaderFacts, type HeaderWindow } from "../../../ledger/header/header-window.js";
import type { BlockRange } from "../step/block-range.js";
import type { ChainPosition } from "../step/chain-position.js";

/** The result of executing a block, compared with its header. */
export interface Execution {
  readonly executed: ExecutedBlock;
  readonly match: HeaderMatch;
}

/** An executed block whose bytes are not verified by themselves yet. */
export interface UncheckedBlock {
  readonly block: Block;
  readonly execution: Execution;
  /** The block before it. */
  readonly parent: HeaderFacts | undefined;
  /** What remains to be verified of the generation hash; undefined for the first block, and if votes prove the block. */
  readonly terms: GenerationTerms | undefined;
  /** Whether votes prove the block: then it is executed without checks. */
  readonly isProven: boolean;
}

/**
 * The state after a block, with everything needed to execute the next one, and to go back: the headers below it, and the
 * voters of the epochs that are not final. Blocks are executed here, whether they are followed or filled.
 */
export class ExecutedChain {
  readonly ledger: ChainState;
  /** Up to the block. */
  readonly headers: HeaderWindow;
  readonly votingSets: Map<number, VotingSet>;

  constructor(ledger: ChainState, headers: HeaderWindow, votingSets: Map<number, VotingSet>) {
    this.ledger = ledger;
    this.headers = headers;
    this.votingSets = votingSets;
  }

  /** Whether the state is that after this block. */
  isAt({ height, hash }: ChainPosition): boolean {
    if (this.ledger.height !== height) return false;
    return height === 0 || this.headers.head?.hash.equals(hash) === true;
  }

  /**
   * Executes the next block.
   *
   * @param isProven whether votes prove it: then nothing is checked
   * @throws BlockExecutionError if that is impossible; then nothing has changed
   */
  execute(block: Block, isProven: boolean): Execution {
    const { ledger } = this;
    const executed = ledger.execute(block, (result) => matchesHeader(result, block.entity), isProven);
    const match = headerMatch(executed, block.entity);
    ledger.noteStateHash(match.hasStateHash);
    return { executed, match };
  }

  /**
   * Accepts the executed block: its footer is verified unless votes prove it, and the next one can follow.
   *
   * @param range receives what it changes
   * @throws BlockRejectedError because of the footer; the block is executed, but not accepted then
   */
  accept(block: Block, { executed, match }: Execution, isProven: boolean, range: BlockRange | undefined): void {
    const { ledger, headers } = this;
    const { height } = block;
    if (!isProven) verifyFooter(block, headers, () => ledger.importanceCounts(), ledger.config);
    if (!match.hasStateHash) range?.differing.push(height);
    range?.addChanges(height, executed.changes);
    headers.push(copyHeaderFacts(block));
    const set = votingSetAfter(ledger.tables, ledger.config, height);
    if (!set) return;
    this.votingSets.set(set.epoch, set);
    range?.votingSets.push({ epoch: set.epoch, height: set.height, voters: packVoters(set.voters) });
  }

  /**
   * Goes back to a block, if the data for that are in memory.
   *
   * @returns the keys whose entries changed; undefined, and nothing has changed, if it is impossible
   */
  goBack({ height, hash }: ChainPosition): readonly StateKey[] | undefined {
    const { ledger, headers } = this;
    if (height > ledger.height || !ledger.canRollBackTo(height)) return undefined;
    if (height > 0 && !headers.at(height)?.hash.equals(hash)) return undefined;
    const changed = ledger.rollbackTo(height);
    headers.truncate(height);
    for (const set of this.votingSets.values()) if (set.height > height) this.votingSets.delete(set.epoch);
    return changed;
  }

  /** Forgets the headers that only blocks up to `floor`, which will not be rolled back, needed. */
  forgetHeaders(floor: number): void {
    this.headers.forgetBelow(floor - headersNeeded(this.ledger.config));
  }

  /** Forgets what only a final block, and epochs before its epoch, needed. */
  forgetFinal(height: number, epoch: number): void {
    this.forgetHeaders(height);
    for (const known of this.votingSets.keys()) if (known < epoch) this.votingSets.delete(known);
  }
}

/** Converts an error of the engine into a rejection of the block; returns other errors unchanged. */
export function asRejection(height: number, error: unknown): unknown {
  if (!(error instanceof BlockExecutionError)) return error;
  return new BlockRejectedError(height, "transactions", `cannot be executed: ${error.message}`, { cause: error });
}

/** Of a block whose own bytes have no more specific error. */
export function unfit({ height }: Block, field: string): BlockRejectedError {
  return new BlockRejectedError(height, field, "does not match the block");
}
