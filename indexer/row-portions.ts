import type { VerifiedBlock } from "../catapult/model.js";
import { addBlockRow, addStatements, addTransaction, balanceChangeRows, emptyRows, type Rows } from "./rows.js";

/** A block, and the chain's score up to and including it. */
export interface ScoredBlock {
  readonly block: VerifiedBlock;
  readonly score: bigint;
}

/** Rows of transactions, embedded ones included, after which a portion ends. */
const PORTION_TRANSACTIONS = 500;

/**
 * All rows of blocks, REST bodies rendered, some at a time: so a block of tens of thousands of transactions is never in
 * memory as rows as a whole.
 */
export function* rowPortions(blocks: Iterable<ScoredBlock>): Generator<Rows> {
  let rows = emptyRows();
  for (const { block, score } of blocks) {
    addBlockRow(rows, block, score);
    for (const transaction of block.transactions) {
      addTransaction(rows, block, transaction);
      if (rows.transactions.length < PORTION_TRANSACTIONS) continue;
      yield rows;
      rows = emptyRows();
    }
    addStatements(rows, block);
    for (const row of balanceChangeRows(block)) rows.balance_changes.push(row);
  }
  yield rows;
}
