import { type Insertable, type RawBuilder, sql } from "kysely";
import { numberFrom } from "../../catapult/json/entity-id.js";
import type { Database, Db } from "../../database/database.js";
import { Collection, MILESTONE_STEP } from "../../database/lists/collections.js";
import { SYNTHETIC_NETWORK, SYNTHETIC_SEED, type SyntheticBlock, syntheticScore } from "./synthetic-chain.js";

/** Below PostgreSQL's limit of 65,535 parameters in a statement. */
const ROWS_AT_A_TIME = 2000;
const BLOCKS_AT_A_TIME = 500;
/** Blocks of a finalization epoch. */
const EPOCH_BLOCKS = 100;

/**
 * Writes blocks into an empty, migrated database, with everything that the indexer would store: counters, milestones,
 * finalized blocks and the head row. Counters and milestones are computed by the database from the rows, so they share
 * no code with the indexer.
 * @returns the head's height
 */
export async function writeSyntheticChain(db: Db, blocks: Iterable<SyntheticBlock>): Promise<number> {
  let waiting: SyntheticBlock[] = [];
  let last: SyntheticBlock | undefined;
  for (const block of blocks) {
    waiting.push(block);
    last = block;
    if (waiting.length < BLOCKS_AT_A_TIME) continue;
    await writeBlocks(db, waiting);
    waiting = [];
  }
  await writeBlocks(db, waiting);
  if (!last) throw new RangeError("A chain has at least one block");
  await writeCounters(db);
  await writeBalance(db);
  await writeHead(db, last);
  await sql`analyze`.execute(db);
  return last.row.height;
}

/** The first block distributes one unit of something: a history of balances that begins there is complete. */
async function writeBalance(db: Db): Promise<void> {
  const row = { mosaic_id: Buffer.alloc(8, 1), address: Buffer.alloc(24, 1), height: 1, change: 1 };
  await db.insertInto("balance_changes").values(row).execute();
}

async function writeBlocks(db: Db, blocks: readonly SyntheticBlock[]): Promise<void> {
  const transactions = blocks.flatMap((block) => block.transactions);
  const statements = blocks.flatMap((block) => block.statements);
  await insert(
    db,
    "blocks",
    blocks.map(({ row: { id, ...row } }) => row),
  );
  await insert(
    db,
    "transactions",
    transactions.map(({ row }) => numbered(row)),
  );
  const addresses = transactions.flatMap(({ row: { id, embedded, type }, addresses }) =>
    addresses.map((address) => numbered({ address, id, embedded, type })),
  );
  await insert(db, "transaction_addresses", addresses);
  await insert(
    db,
    "transaction_mosaics",
    transactions.flatMap(({ mosaics }) => mosaics.map(numbered)),
  );
  await insert(
    db,
    "transaction_statements",
    statements.map(({ row }) => numbered(row)),
  );
  await insert(
    db,
    "receipts",
    statements.flatMap(({ receipts }) =>
      receipts.map((row) => ({ ...row, statement_id: numberFrom(row.statement_id) })),
    ),
  );
  await insert(
    db,
    "address_resolution_statements",
    blocks.flatMap((block) => block.addressResolutions.map(numbered)),
  );
  await insert(
    db,
    "mosaic_resolution_statements",
    blocks.flatMap((block) => block.mosaicResolutions.map(numbered)),
  );
}

const numbered = <Row extends { readonly id: Buffer }>(row: Row) => ({ ...row, id: numberFrom(row.id) });

async function insert<Name extends keyof Database>(
  db: Db,
  table: Name,
  rows: readonly Insertable<Database[Name]>[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_AT_A_TIME) {
    await db
      .insertInto(table)
      .values(rows.slice(start, start + ROWS_AT_A_TIME))
      .execute();
  }
}

/** Key and id of every entry of every collection. */
function collections(): [Collection, RawBuilder<unknown>][] {
  const type = sql`decode(lpad(to_hex(type), 4, '0'), 'hex')`;
  const ofTransactions = (key: RawBuilder<unknown>, where = sql`true`) =>
    sql`select ${key} as key, id from transactions where ${where}`;
  const none = sql`''::bytea`;
  const top = sql`not embedded`;
  const hasRecipient = sql`recipient_address is not null`;
  const statements = (key: RawBuilder<unknown>) =>
    sql`select distinct ${key} as key, statement_id as id from receipts where ${key} is not null`;
  return [
    [Collection.blocks, sql`select ''::bytea as key, height as id from blocks`],
    [Collection.blocksBySigner, sql`select signer_public_key as key, height as id from blocks`],
    [Collection.blocksByBeneficiary, sql`select beneficiary_address as key, height as id from blocks`],
    [Collection.transactionsTop, ofTransactions(none, top)],
    [Collection.transactionsAll, ofTransactions(none)],
    [Collection.transactionsBySignerTop, ofTransactions(sql`signer_public_key`, top)],
    [Collection.transactionsBySignerAll, ofTransactions(sql`signer_public_key`)],
    [Collection.transactionsByRecipientTop, ofTransactions(sql`recipient_address`, sql`${hasRecipient} and ${top}`)],
    [Collection.transactionsByRecipientAll, ofTransactions(sql`recipient_address`, hasRecipient)],
    [Collection.transactionsByTypeTop, ofTransactions(type, top)],
    [Collection.transactionsByTypeAll, ofTransactions(type)],
    [Collection.transactionsByAddressTop, sql`select address as key, id from transaction_addresses where ${top}`],
    [Collection.transactionsByAddressAll, sql`select address as key, id from transaction_addresses`],
    [
      Collection.transactionsByAddressAndTypeTop,
      sql`select address || ${type} as key, id from transaction_addresses where ${top}`,
    ],
    [Collection.transactionsByAddressAndTypeAll, sql`select address || ${type} as key, id from transaction_addresses`],
    [Collection.transactionsByMosaicTop, sql`select mosaic_id as key, id from transaction_mosaics where ${top}`],
    [Collection.transactionsByMosaicAll, sql`select mosaic_id as key, id from transaction_mosaics`],
    [Collection.transactionStatements, sql`select ''::bytea as key, id from transaction_statements`],
    [Collection.transactionStatementsByType, statements(type)],
    [Collection.transactionStatementsByRecipient, statements(sql`recipient_address`)],
    [Collection.transactionStatementsBySender, statements(sql`sender_address`)],
    [Collection.transactionStatementsByTarget, statements(sql`target_address`)],
    [Collection.transactionStatementsByArtifact, statements(sql`artifact_id`)],
    [Collection.addressResolutions, sql`select ''::bytea as key, id from address_resolution_statements`],
    [Collection.mosaicResolutions, sql`select ''::bytea as key, id from mosaic_resolution_statements`],
  ];
}

/** The counters and milestones to write. */
interface CounterChoice {
  readonly collections: readonly Collection[];
  readonly keys: readonly Buffer[];
}

/** Writes counters and milestones: all, or a selection. */
export async function writeCounters(db: Db, only?: CounterChoice): Promise<void> {
  for (const [collection, all] of collections()) {
    if (only && !only.collections.includes(collection)) continue;
    const entries = only ? sql`select key, id from (${all}) a where key = any(${[...only.keys]}::bytea[])` : all;
    const number = sql.lit(collection);
    await sql`insert into counters (collection, key, count)
      select ${number}, key, count(*) from (${entries}) e group by key`.execute(db);
    await sql`insert into milestones (collection, key, ordinal, id)
      select ${number}, key, ordinal, id
      from (select key, id, row_number() over (partition by key order by id) as ordinal from (${entries}) e) n
      where ordinal % ${sql.lit(MILESTONE_STEP)} = 0`.execute(db);
  }
}

async function writeHead(db: Db, { row: { height, hash } }: SyntheticBlock): Promise<void> {
  await sql`insert into finalized_blocks (epoch, point, height, hash)
    select height / ${sql.lit(EPOCH_BLOCKS)} + 1, 1, height, hash from blocks
    where height % ${sql.lit(EPOCH_BLOCKS)} = 0`.execute(db);
  const finalized = await db
    .selectFrom("finalized_blocks")
    .selectAll()
    .orderBy("height", "desc")
    .limit(1)
    .executeTakeFirst();
  await db
    .insertInto("head")
    .values({
      id: 1,
      height,
      hash,
      score: syntheticScore(height),
      finalized_epoch: finalized?.epoch ?? 1,
      finalized_point: finalized?.point ?? 1,
      finalized_height: finalized?.height ?? 1,
      finalized_hash: finalized?.hash ?? hash,
      event_sequence: 0,
      network_identifier: SYNTHETIC_NETWORK,
      generation_hash_seed: SYNTHETIC_SEED,
      // The state is complete, and empty.
      state_height: height,
    })
    .execute();
}
