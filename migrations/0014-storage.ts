import { type Kysely, sql } from "kysely";

/** The advisory lock that a writing indexer holds: an older version would continue to write the old tables. */
const WRITER_LOCK = 7_300_190_055;

/** Lists from this collection on are lists of state; the others are derived from blocks. */
const FIRST_STATE_COLLECTION = 50;

/**
 * Tables of the chain in a third of the disk. The bytes of blocks stay, and so does the state; tables that are derived
 * from blocks are created anew, and `head.must_be_filled` notes that `backfill --source raw` has to fill them.
 * There is no way back: the old tables would have to be filled too.
 *
 * Columns are in the order of their alignment: 8 bytes, 4 bytes, then what varies. What only a rollback looks for is
 * found by block ranges, as rows are in the order of the chain. Numbers of keys that say "marked" are twice the number,
 * and one more for an embedded transaction, so that each entry is in one index of a list.
 * Frozen: a later change is a later migration.
 * @throws Error while an indexer or a backfill writes
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(WRITER_LOCK)}) as taken`.execute(db);
  if (!rows[0]?.taken) throw new Error("an indexer or a backfill writes to this database: stop it first");
  await db.schema
    .alterTable("head")
    .addColumn("must_be_filled", "boolean", (c) => c.notNull().defaultTo(false))
    .execute();
  await sql`update head set must_be_filled = exists (select from raw_blocks)`.execute(db);
  await sql`delete from deferred_indexes`.execute(db);
  await createKeys(db);
  await createBlocks(db);
  await createTransactions(db);
  await createTransactionLists(db);
  await createStatements(db);
  await createBalanceChanges(db);
  await createCounters(db);
  await storeSlices(db);
}

/** Rows that are at most as large stay in one piece; of larger ones, the bytes of the block are stored in chunks. */
const WHOLE_ROW_BYTES = 4_000;

/** Bodies are rendered from slices of the bytes of blocks, which are stored uncompressed for that. */
async function storeSlices(db: Kysely<unknown>): Promise<void> {
  await sql`alter table raw_blocks alter column block set storage external, alter column statement set storage external`.execute(
    db,
  );
  await sql`alter table raw_blocks set (toast_tuple_target = ${sql.lit(WHOLE_ROW_BYTES)})`.execute(db);
  await sql`update raw_blocks set block = block || ''::bytea, statement = statement || ''::bytea
    where pg_column_compression(block) is not null or pg_column_compression(statement) is not null`.execute(db);
}

/** The dictionary of what lists are keyed by; a key belongs to the block that first names it. */
async function createKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("keys")
    .addColumn("id", "int4", (c) => c.primaryKey())
    .addColumn("height", "int4", (c) => c.notNull())
    .addColumn("kind", "int2", (c) => c.notNull())
    .addColumn("key", "bytea", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("keys_key").on("keys").columns(["key", "kind"]).unique().execute();
  await byRanges(db, "keys", "height");
}

/** Blocks have no ids beside their heights; `signer` and `beneficiary` are keys. */
async function createBlocks(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable("blocks").execute();
  await db.schema
    .createTable("blocks")
    .addColumn("timestamp", "int8", (c) => c.notNull())
    .addColumn("fee_multiplier", "int8", (c) => c.notNull())
    .addColumn("total_fee", "int8", (c) => c.notNull())
    .addColumn("height", "int4", (c) => c.primaryKey())
    .addColumn("signer", "int4", (c) => c.notNull())
    .addColumn("beneficiary", "int4", (c) => c.notNull())
    .addColumn("transactions_count", "int4", (c) => c.notNull())
    .addColumn("total_transactions_count", "int4", (c) => c.notNull())
    .addColumn("statements_count", "int4", (c) => c.notNull())
    .addColumn("header_size", "int4", (c) => c.notNull())
    .addColumn("difficulty", sql`numeric(20)`, (c) => c.notNull())
    .addColumn("score", sql`numeric(39)`, (c) => c.notNull())
    .addColumn("hash", "bytea", (c) => c.notNull())
    .addColumn("generation_hash", "bytea", (c) => c.notNull())
    .execute();
  await sql`create index blocks_hash on blocks using hash (hash)`.execute(db);
  await sql`create index blocks_signer on blocks (signer, height)`.execute(db);
  await sql`create index blocks_beneficiary on blocks (beneficiary, height)`.execute(db);
  await sql`create index blocks_activity on blocks (timestamp)
    include (height, transactions_count, total_transactions_count, total_fee)`.execute(db);
}

/** `signer`, `recipient` and `type` are marked. */
async function createTransactions(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable("transactions").execute();
  await db.schema
    .createTable("transactions")
    .addColumn("id", "int8", (c) => c.primaryKey())
    .addColumn("deadline", "int8")
    .addColumn("signer", "int4", (c) => c.notNull())
    .addColumn("recipient", "int4")
    .addColumn("type", "int4", (c) => c.notNull())
    .addColumn("position", "int4", (c) => c.notNull())
    .addColumn("size", "int4", (c) => c.notNull())
    .addColumn("embedded_size", "int4", (c) => c.notNull())
    .addColumn("hash", "bytea")
    .execute();
  await sql`create index transactions_hash on transactions using hash (hash)`.execute(db);
  await sql`create index transactions_top on transactions (id) where type & 1 = 0`.execute(db);
  await sql`create index transactions_signer on transactions (signer, id)`.execute(db);
  await sql`create index transactions_recipient on transactions (recipient, id) where recipient is not null`.execute(
    db,
  );
  await sql`create index transactions_type on transactions (type, id)`.execute(db);
}

/** `account` and `mosaic` are marked. */
async function createTransactionLists(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable("transaction_addresses").execute();
  await db.schema
    .createTable("transaction_addresses")
    .addColumn("id", "int8", (c) => c.notNull())
    .addColumn("account", "int4", (c) => c.notNull())
    .addColumn("type", "int4", (c) => c.notNull())
    .execute();
  await sql`create index transaction_addresses_account on transaction_addresses (account, id)`.execute(db);
  await sql`create index transaction_addresses_type on transaction_addresses (account, type, id)`.execute(db);
  await byRanges(db, "transaction_addresses", "id");
  await db.schema.dropTable("transaction_mosaics").execute();
  await db.schema
    .createTable("transaction_mosaics")
    .addColumn("id", "int8", (c) => c.notNull())
    .addColumn("amount", "int8", (c) => c.notNull())
    .addColumn("mosaic", "int4", (c) => c.notNull())
    .execute();
  await sql`create index transaction_mosaics_mosaic on transaction_mosaics (mosaic, id)`.execute(db);
  await sql`create index transaction_mosaics_amount on transaction_mosaics (mosaic, amount, id)`.execute(db);
  await byRanges(db, "transaction_mosaics", "id");
}

async function createStatements(db: Kysely<unknown>): Promise<void> {
  const statements = ["transaction_statements", "address_resolution_statements", "mosaic_resolution_statements"];
  for (const table of [...statements, "unknown_entities"]) {
    await sql`truncate ${sql.table(table)}`.execute(db);
    await sql`alter table ${sql.table(table)} alter column id type int8 using 0`.execute(db);
  }
  for (const table of statements) {
    await sql`alter table ${sql.table(table)} drop column document, drop column hash,
      add column position int4 not null, add column size int4 not null`.execute(db);
  }
  await db.schema.dropTable("receipts").execute();
  await db.schema
    .createTable("receipts")
    .addColumn("statement_id", "int8", (c) => c.notNull())
    .addColumn("amount", "int8")
    .addColumn("sender", "int4")
    .addColumn("recipient", "int4")
    .addColumn("target", "int4")
    .addColumn("artifact", "int4")
    .addColumn("type", "int4", (c) => c.notNull())
    .execute();
  await sql`create index receipts_type on receipts (type, statement_id)`.execute(db);
  for (const column of ["sender", "recipient", "target", "artifact"]) {
    await sql`create index ${sql.id(`receipts_${column}`)} on receipts (${sql.ref(column)}, statement_id)
      where ${sql.ref(column)} is not null`.execute(db);
  }
  await byRanges(db, "receipts", "statement_id");
}

async function createBalanceChanges(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable("balance_changes").execute();
  await db.schema
    .createTable("balance_changes")
    .addColumn("change", "int8", (c) => c.notNull())
    .addColumn("mosaic", "int4", (c) => c.notNull())
    .addColumn("account", "int4", (c) => c.notNull())
    .addColumn("height", "int4", (c) => c.notNull())
    .execute();
  await sql`create index balance_changes_holding on balance_changes (mosaic, account, height) include (change)`.execute(
    db,
  );
  await byRanges(db, "balance_changes", "height");
}

/** Lists of the chain have one number each; `counters` is left with those of state. */
async function createCounters(db: Kysely<unknown>): Promise<void> {
  await sql`delete from counters where collection < ${sql.lit(FIRST_STATE_COLLECTION)}`.execute(db);
  await db.schema
    .createTable("list_counters")
    .addColumn("list", "int8", (c) => c.primaryKey())
    .addColumn("count", "int8", (c) => c.notNull().check(sql`count > 0`))
    .execute();
  await db.schema.dropTable("milestones").execute();
  await db.schema
    .createTable("milestones")
    .addColumn("list", "int8", (c) => c.notNull())
    .addColumn("ordinal", "int8", (c) => c.notNull())
    .addColumn("id", "int8", (c) => c.notNull())
    .addPrimaryKeyConstraint("milestones_pkey", ["list", "ordinal"])
    .execute();
  await sql`create index milestones_id on milestones (list, id)`.execute(db);
  await byRanges(db, "milestones", "id");
}

/** An index for what only a rollback looks for. */
async function byRanges(db: Kysely<unknown>, table: string, column: string): Promise<void> {
  await sql`create index ${sql.id(`${table}_ranges`)} on ${sql.table(table)} using brin (${sql.ref(column)})
    with (autosummarize = on)`.execute(db);
}
