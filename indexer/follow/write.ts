import { type Insertable, sql } from "kysely";
import { blockScore, NEMESIS_SCORE } from "../../catapult/entity/block.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { encodeEntityId, entityNumber } from "../../catapult/json/entity-id.js";
import type { Database, Db } from "../../database/database.js";
import { type Finalization, finalizationOf, isNewerFinalization } from "../../database/queries/head.js";
import { awaitDropped, confirmPending } from "../mempool/block-passage.js";
import { type StateHead, type StateHeadColumns, writeState } from "../state/write.js";
import type { ChainPosition } from "../step/chain-position.js";
import { collectionEntries } from "../step/collection-entries.js";
import { byList, countAdded, countRemoved, ListGatherer } from "../step/counters.js";
import { FinalizedBlockDroppedError, HeadMovedError, UnfilledIndexError } from "../step/errors.js";
import { writeEvents } from "../step/event-log.js";
import { insertAll } from "../step/insert.js";
import { rowPortions, type ScoredBlock } from "../step/row-portions.js";
import type { Rows } from "../step/rows.js";
import type { Step } from "../step/step.js";
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
    if (step.rollBackTo) {
      const { height: finalizedHeight } = head.finalization;
      if (base.height < finalizedHeight) {
        throw new FinalizedBlockDroppedError(
          finalizedHeight,
          `The node's branch leaves ours at height ${base.height}, below the finalized height ${finalizedHeight}`,
        );
      }
      await awaitDropped(trx, base.height);
      await dropBlocks(trx, base);
    }
    const removalEvents = await confirmPending(trx, step, head.network);
    const newHead = await writeBlocks(trx, base, step.blocks);
    const stateColumns = await writeState(trx, step.state, {
      ...head.state,
      base: base.height,
      height: newHead.height,
      finalizedHeight: step.finalization?.height ?? head.finalization.height,
    });
    const finalization = await writeFinalization(trx, head.finalization, step.finalization);
    const events = step.announce ? stepEvents({ ...step, finalization }, removalEvents) : [];
    const eventSequence = await writeEvents(trx, events, head.eventSequence);
    await moveHead(trx, newHead, { event_sequence: eventSequence, ...stateColumns }, finalization);
    return { height: newHead.height, hash: newHead.hash };
  });
}

/** Updates the head row, including finalization if that moved. */
export async function moveHead(
  trx: Db,
  { height, hash, score }: ChainPosition & { readonly score: bigint },
  columns: StateHeadColumns & { readonly event_sequence: number },
  finalization: Finalization | undefined,
): Promise<void> {
  await trx
    .updateTable("head")
    .set({
      height,
      hash,
      score,
      ...columns,
      ...(finalization && {
        finalized_epoch: finalization.epoch,
        finalized_point: finalization.point,
        finalized_height: finalization.height,
        finalized_hash: finalization.hash,
      }),
    })
    .executeTakeFirstOrThrow();
}

/** The head row as it was when it was locked. */
export interface LockedHead {
  readonly finalization: Finalization;
  readonly eventSequence: number;
  readonly network: NetworkIdentity;
  readonly state: StateHead;
}

/**
 * Locks the head row until the transaction ends.
 * @throws HeadMovedError unless it is at `previous`; UnfilledIndexError when a migration has emptied tables
 */
export async function lockHead(trx: Db, previous: ChainPosition): Promise<LockedHead> {
  const head = await trx.selectFrom("head").selectAll().forUpdate().executeTakeFirst();
  if (!head) throw new HeadMovedError("The head row is missing");
  if (head.must_be_filled) throw new UnfilledIndexError();
  if (head.height !== previous.height || !head.hash.equals(previous.hash)) {
    throw new HeadMovedError(
      `The head row is at ${head.height} (${head.hash.toString("hex")}), not at ${previous.height} (${previous.hash.toString("hex")})`,
    );
  }
  return {
    finalization: finalizationOf(head),
    eventSequence: head.event_sequence,
    network: {
      identifier: head.network_identifier ?? 0,
      generationHashSeed: head.generation_hash_seed ?? Buffer.alloc(32),
    },
    state: {
      sequence: head.state_sequence,
      stateHeight: head.state_height,
      touchedHeight: head.touched_height,
      ledgerHeight: head.ledger_height,
    },
  };
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
  await dropBytesLeft(trx, base.height + 1, last.height);
  const lists = new ListGatherer();
  for (const rows of rowPortions(scored)) {
    await insertRows(trx, rows);
    lists.add(collectionEntries(rows));
  }
  await countAdded(trx, lists.lists());
  return last;
}

/** Score and timestamp of the block before the next one. @throws HeadMovedError when it does not exist */
export async function readPosition(trx: Db, base: ChainPosition) {
  if (base.height === 0) return { ...base, score: 0n, timestamp: 0 };
  const row = await trx
    .selectFrom("blocks")
    .select(["hash", "score", "timestamp"])
    .where("height", "=", base.height)
    .executeTakeFirst();
  if (!row?.hash.equals(base.hash)) throw new HeadMovedError(`Block ${base.height} is not the one to continue from`);
  return { ...base, score: BigInt(row.score), timestamp: row.timestamp };
}

async function insertRows(trx: Db, rows: Rows): Promise<void> {
  for (const [table, values] of Object.entries(rows) as [keyof Rows, Insertable<Database[keyof Rows]>[]][]) {
    await insertAll(trx, table, values);
  }
}

/** Deletes bytes of blocks left behind by an abandoned rebuild: blocks of these heights are written now. */
export async function dropBytesLeft(trx: Db, from: number, to: number): Promise<void> {
  await trx.deleteFrom("raw_blocks").where("height", ">=", from).where("height", "<=", to).execute();
}

/** Drops every block above `keep`. Counted entries are read from the rows themselves, so counters stay exact. */
async function dropBlocks(trx: Db, keep: ChainPosition): Promise<void> {
  await dropRows(trx, keep.height);
  await trx.deleteFrom("raw_blocks").where("height", ">", keep.height).execute();
}

/** Drops all rows of every block above `keptHeight`, and keeps the blocks' bytes. */
export async function dropRows(trx: Db, keptHeight: number): Promise<void> {
  const first = entityNumber(keptHeight + 1);
  await countRemoved(trx, byList(collectionEntries(await readCountedRows(trx, keptHeight))), keptHeight + 1);
  for (const table of [
    "transactions",
    "transaction_addresses",
    "transaction_mosaics",
    "transaction_statements",
    "address_resolution_statements",
    "mosaic_resolution_statements",
    "unknown_entities",
  ] as const) {
    await sql`delete from ${sql.table(table)} where id >= ${first}`.execute(trx);
  }
  await trx.deleteFrom("receipts").where("statement_id", ">=", first).execute();
  await trx.deleteFrom("blocks").where("height", ">", keptHeight).execute();
  await trx
    .deleteFrom("namespace_registrations")
    .where("id", ">=", encodeEntityId(keptHeight + 1))
    .execute();
  await trx.deleteFrom("balance_changes").where("height", ">", keptHeight).execute();
}

async function readCountedRows(trx: Db, keptHeight: number) {
  const first = entityNumber(keptHeight + 1);
  const withId = <Row extends { readonly id: number | bigint }>(row: Row) => ({ ...row, id: BigInt(row.id) });
  const rows = {
    blocks: await trx
      .selectFrom("blocks")
      .select(["height", "signer_public_key", "beneficiary_address"])
      .where("height", ">", keptHeight)
      .execute(),
    transactions: await trx
      .selectFrom("transactions")
      .select(["id", "embedded", "signer_public_key", "recipient_address", "type"])
      .where("id", ">=", first)
      .execute(),
    transaction_addresses: await trx.selectFrom("transaction_addresses").selectAll().where("id", ">=", first).execute(),
    transaction_mosaics: await trx
      .selectFrom("transaction_mosaics")
      .select(["mosaic_id", "id", "embedded"])
      .where("id", ">=", first)
      .execute(),
    transaction_statements: await trx
      .selectFrom("transaction_statements")
      .select("id")
      .where("id", ">=", first)
      .execute(),
    receipts: await trx
      .selectFrom("receipts")
      .select(["statement_id", "type", "sender_address", "recipient_address", "target_address", "artifact_id"])
      .where("statement_id", ">=", first)
      .execute(),
    address_resolution_statements: await trx
      .selectFrom("address_resolution_statements")
      .select("id")
      .where("id", ">=", first)
      .execute(),
    mosaic_resolution_statements: await trx
      .selectFrom("mosaic_resolution_statements")
      .select("id")
      .where("id", ">=", first)
      .execute(),
  };
  return {
    blocks: rows.blocks,
    transactions: rows.transactions.map(withId),
    transaction_addresses: rows.transaction_addresses.map(withId),
    transaction_mosaics: rows.transaction_mosaics.map(withId),
    transaction_statements: rows.transaction_statements.map(withId),
    receipts: rows.receipts.map((row) => ({ ...row, statement_id: BigInt(row.statement_id) })),
    address_resolution_statements: rows.address_resolution_statements.map(withId),
    mosaic_resolution_statements: rows.mosaic_resolution_statements.map(withId),
  };
}

/**
 * Records a finalized block, if it is newer than the one in the locked head row.
 * @returns the values for the head row; undefined if there is nothing newer
 * @throws HeadMovedError unless the index has the block with that hash
 */
export async function writeFinalization(
  trx: Db,
  known: Finalization,
  finalization: Finalization | undefined,
): Promise<Finalization | undefined> {
  if (!finalization || !isNewerFinalization(finalization, known)) return undefined;
  const { epoch, point, height, hash } = finalization;
  const block = await trx.selectFrom("blocks").select("hash").where("height", "=", height).executeTakeFirst();
  if (!block?.hash.equals(hash)) {
    throw new HeadMovedError(`Block ${height}, which the node claims to be final, is not in the index with that hash`);
  }
  await trx
    .insertInto("finalized_blocks")
    .values({ epoch, point, height, hash })
    .onConflict((conflict) => conflict.columns(["epoch", "point"]).doUpdateSet({ height, hash }))
    .execute();
  return finalization;
}
