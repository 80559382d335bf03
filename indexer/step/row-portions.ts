import type { VerifiedBlock } from "../../catapult/entity/model.js";
import type { KeyGatherer } from "./key-gatherer.js";
import { addingBlock, emptyRows, type Rows } from "./rows.js";

/** A block, and the chain score up to and including it. */
export interface ScoredBlock {
  readonly block: VerifiedBlock;
  readonly score: bigint;
}

/** Rows of transactions, including embedded ones, after which a portion ends. */
const PORTION_TRANSACTIONS = 500;

/**
 * All rows of blocks, some at a time: so the rows of a block with tens of thousands of transactions are never in memory
 * completely.
 * @param keys gives the numbers of keys in the rows
 */
export function* rowPortions(blocks: Iterable<ScoredBlock>, keys: KeyGatherer): Generator<Rows> {
  const target = { rows: emptyRows() };
  for (const { block, score } of blocks) {
    for (const _ of addingBlock(target, block, score, keys)) {
      if (target.rows.transactions.length < PORTION_TRANSACTIONS) continue;
      yield target.rows;
      target.rows = emptyRows();
    }
  }
  yield target.rows;
}
