import { blockScore, NEMESIS_SCORE } from "../../catapult/entity/block.js";
import type { Db } from "../../database/database.js";
import { moveFinalization } from "../finality/finalized-head.js";
import { confirmPending } from "../mempool/pending-in-blocks.js";
import { writeState } from "../state/write.js";
import type { ChainPosition } from "../step/chain-position.js";
import { addCollectionEntries } from "../step/collection-entries.js";
import { copyRows, numberRows, RowsEncoder } from "../step/copy-tables.js";
import { countAdded, ListGatherer } from "../step/counters.js";
import { HeadMovedError } from "../step/errors.js";
import { writeEvents } from "../step/event-log.js";
import { KeyGatherer } from "../step/key-gatherer.js";
import { numberKeys } from "../step/key-numbers.js";
import { writeRawBlocks } from "../step/raw-rows.js";
import { rowPortions, type ScoredBlock } from "../step/row-portions.js";
import type { Rows } from "../step/rows.js";
import type { Step } from "../step/step.js";
import { lockHead, moveHead, readPosition } from "./head-row.js";
import { rollBack } from "./rollback.js";
import { stepEvents } from "./step-events.js";

/**
 * Writes one step in one transaction: roll-back, rows, counters, state, finalization, events, head.
 *
 * Invariants, each of which aborts the transaction if violated:
 * - the head row is at `step.previous` (it is locked first, so a second writer waits and then fails);
 * - nothing finalized is dropped, and nothing is finalized that is not in the index with that hash;
 * - finalization only moves forward: one that another writer has overtaken meanwhile is ignored;
 * - the first block links to the last one kept.
 * @throws HeadMovedError, FinalizedBlockDroppedError; database errors as they are. Nothing is written then.
 */
export async function writeStep(db: Db, step: Step): Promise<ChainPosition> {
  return db.transaction().execute(async (trx) => {
    const head = await lockHead(trx, step.previous);
    const base = step.rollBackTo ?? step.previous;
    if (step.rollBackTo) await rollBack(trx, head.finalization, base.height);
    const removalEvents = await confirmPending(trx, step.blocks, head.network);
    const newHead = await writeBlocks(trx, base, step.blocks);
    const stateColumns = await writeState(trx, step.state, {
      sequence: head.stateSequence,
      height: newHead.height,
      finalizedHeight: step.finalization?.height ?? head.finalization.height,
    });
    const finalizations = step.finalization ? [step.finalization] : [];
    const finalization = await moveFinalization(trx, head.finalization, finalizations);
    const events = step.announce ? stepEvents({ ...step, finalization }, removalEvents) : [];
    const eventSequence = await writeEvents(trx, events, head.eventSequence);
    await moveHead(trx, newHead, { event_sequence: eventSequence, ...stateColumns });
    return { height: newHead.height, hash: newHead.hash };
  });
}

async function writeBlocks(trx: Db, base: ChainPosition, blocks: Step["blocks"]) {
  let last = await readPosition(trx, base);
  const scored: ScoredBlock[] = [];
  for (const block of blocks) {
    if (block.height !== last.height + 1 || (block.height > 1 && !block.previousHash.equals(last.hash))) {
      throw new HeadMovedError(`Block ${block.height} does not follow block ${last.height}`);
    }
    const score = block.height === 1 ? NEMESIS_SCORE : last.score + blockScore(last, block);
    scored.push({ block, score });
    last = { height: block.height, hash: block.hash, score, timestamp: block.timestamp };
  }
  const raw = blocks.map(({ bytes, statementBytes: statement, subCacheMerkleRoots }) => {
    return { bytes, statement, subCacheMerkleRoots: Buffer.concat(subCacheMerkleRoots) };
  });
  await writeRawBlocks(trx, base.height + 1, raw);
  const lists = new ListGatherer();
  const keys = new KeyGatherer();
  const numbers: number[] = [];
  for (const rows of rowPortions(scored, keys)) {
    const [added = []] = await numberKeys(trx, [keys.keys.slice(numbers.length)]);
    numbers.push(...added);
    numberRows(rows, numbers);
    await insertRows(trx, rows);
    addCollectionEntries(rows, lists.add);
  }
  await countAdded(trx, lists.lists());
  return last;
}

async function insertRows(trx: Db, rows: Rows): Promise<void> {
  const encoder = new RowsEncoder();
  encoder.add(rows);
  for (const { table, bytes } of encoder.tables()) await copyRows(trx, table, [bytes]);
}
