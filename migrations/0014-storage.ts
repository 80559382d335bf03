import { type Kysely, sql } from "kysely";

/** The advisory lock that a writing indexer holds: an older version would continue to write the old tables. */
const WRITER_LOCK = 7_300_190_055;

/** Tables that are filled from `raw_blocks` alone. */
const DERIVED = [
  "blocks",
  "transactions",
  "transaction_addresses",
  "transaction_mosaics",
  "transaction_statements",
  "receipts",
  "address_resolution_statements",
  "mosaic_resolution_statements",
  "balance_changes",
  "unknown_entities",
] as const;

/** Lists from this collection on are lists of state; the others are derived from blocks. */
const FIRST_STATE_COLLECTION = 50;

/**
 * A third of the disk: see docs/storage.md. The bytes of blocks stay, and so does the state; everything derived from
 * blocks is emptied, and `head.must_be_filled` notes that `backfill --source raw` has to fill it again.
 * There is no way back: the old tables would have to be filled too.
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
  await sql`truncate ${sql.join(DERIVED.map((table) => sql.table(table)))}`.execute(db);
  await sql`delete from counters where collection < ${sql.lit(FIRST_STATE_COLLECTION)}`.execute(db);
  await sql`truncate milestones`.execute(db);
  await createKeys(db);
  await numberBlocks(db);
  await numberEntities(db);
}

/** Blocks have no ids beside their heights. */
async function numberBlocks(db: Kysely<unknown>): Promise<void> {
  await sql`alter table blocks drop column id`.execute(db);
  await sql`alter table blocks drop constraint blocks_height_key, alter column height type int4, add primary key (height)`.execute(
    db,
  );
  await sql`create index blocks_signer on blocks (signer_public_key, height)`.execute(db);
  await sql`create index blocks_beneficiary on blocks (beneficiary_address, height)`.execute(db);
  await sql`create index blocks_activity on blocks (timestamp)
    include (height, transactions_count, total_transactions_count, total_fee)`.execute(db);
}

/** Ids of entities are numbers of 64 bits. */
async function numberEntities(db: Kysely<unknown>): Promise<void> {
  const ids = [
    ["transactions", "id"],
    ["transaction_addresses", "id"],
    ["transaction_mosaics", "id"],
    ["transaction_statements", "id"],
    ["receipts", "statement_id"],
    ["address_resolution_statements", "id"],
    ["mosaic_resolution_statements", "id"],
    ["unknown_entities", "id"],
    ["milestones", "id"],
  ] as const;
  for (const [table, column] of ids) {
    await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} type int8 using 0`.execute(db);
  }
}

/** The dictionary of what lists are keyed by. */
async function createKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("keys")
    .addColumn("id", "int4", (c) => c.primaryKey())
    .addColumn("height", "int4", (c) => c.notNull())
    .addColumn("kind", "int2", (c) => c.notNull())
    .addColumn("key", "bytea", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("keys_key").on("keys").columns(["key", "kind"]).unique().execute();
  await sql`create index keys_height on keys using brin (height)`.execute(db);
}
