import { type Kysely, sql } from "kysely";

/**
 * The chain: head, raw bytes, blocks, transactions, statements, finalized blocks, and what lists are counted and paged by.
 * Ids are 12 bytes that sort like the chain: height (5), index in block (4), index in aggregate (3).
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("head")
    .addColumn("id", "int2", (c) => c.primaryKey().check(sql`id = 1`))
    .addColumn("height", "int8", (c) => c.notNull())
    .addColumn("hash", "bytea", (c) => c.notNull())
    .addColumn("score", sql`numeric(39)`, (c) => c.notNull())
    .addColumn("finalized_epoch", "int8", (c) => c.notNull())
    .addColumn("finalized_point", "int8", (c) => c.notNull())
    .addColumn("finalized_height", "int8", (c) => c.notNull())
    .addColumn("finalized_hash", "bytea", (c) => c.notNull())
    .addColumn("event_sequence", "int8", (c) => c.notNull())
    .addColumn("network_identifier", "int2")
    .addColumn("generation_hash_seed", "bytea")
    .execute();

  await db.schema
    .createTable("raw_blocks")
    .addColumn("height", "int8", (c) => c.primaryKey())
    .addColumn("block", "bytea", (c) => c.notNull())
    .addColumn("statement", "bytea", (c) => c.notNull())
    .addColumn("sub_cache_merkle_roots", "bytea", (c) => c.notNull())
    .execute();

  await db.schema
    .createTable("blocks")
    .addColumn("id", "bytea", (c) => c.primaryKey())
    .addColumn("height", "int8", (c) => c.notNull().unique())
    .addColumn("hash", "bytea", (c) => c.notNull())
    .addColumn("generation_hash", "bytea", (c) => c.notNull())
    .addColumn("type", "int4", (c) => c.notNull())
    .addColumn("timestamp", "int8", (c) => c.notNull())
    .addColumn("difficulty", sql`numeric(20)`, (c) => c.notNull())
    .addColumn("score", sql`numeric(39)`, (c) => c.notNull())
    .addColumn("fee_multiplier", "int8", (c) => c.notNull())
    .addColumn("total_fee", "int8", (c) => c.notNull())
    .addColumn("signer_public_key", "bytea", (c) => c.notNull())
    .addColumn("signer_address", "bytea", (c) => c.notNull())
    .addColumn("beneficiary_address", "bytea", (c) => c.notNull())
    .addColumn("transactions_count", "int4", (c) => c.notNull())
    .addColumn("total_transactions_count", "int4", (c) => c.notNull())
    .addColumn("statements_count", "int4", (c) => c.notNull())
    .addColumn("size", "int4", (c) => c.notNull())
    .addColumn("document", "text", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("blocks_hash").on("blocks").column("hash").unique().execute();
  await db.schema.createIndex("blocks_timestamp").on("blocks").columns(["timestamp", "id"]).execute();
  await db.schema.createIndex("blocks_signer").on("blocks").columns(["signer_public_key", "id"]).execute();
  await db.schema.createIndex("blocks_beneficiary").on("blocks").columns(["beneficiary_address", "id"]).execute();

  await db.schema
    .createTable("transactions")
    .addColumn("id", "bytea", (c) => c.primaryKey())
    .addColumn("embedded", "boolean", (c) => c.notNull())
    .addColumn("hash", "bytea")
    .addColumn("merkle_component_hash", "bytea")
    .addColumn("type", "int4", (c) => c.notNull())
    .addColumn("version", "int2", (c) => c.notNull())
    .addColumn("signer_public_key", "bytea", (c) => c.notNull())
    .addColumn("signer_address", "bytea", (c) => c.notNull())
    .addColumn("recipient_address", "bytea")
    .addColumn("max_fee", "int8")
    .addColumn("fee", "int8")
    .addColumn("deadline", "int8")
    .addColumn("size", "int4", (c) => c.notNull())
    .addColumn("document", "text", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("transactions_hash")
    .on("transactions")
    .column("hash")
    .unique()
    .where(sql.ref("hash"), "is not", null)
    .execute();
  await topAndAll(db, "transactions", "", []);
  await topAndAll(db, "transactions", "_signer", ["signer_public_key"]);
  await topAndAll(db, "transactions", "_recipient", ["recipient_address"], sql`recipient_address is not null`);
  await topAndAll(db, "transactions", "_type", ["type"]);

  await db.schema
    .createTable("transaction_addresses")
    .addColumn("address", "bytea", (c) => c.notNull())
    .addColumn("id", "bytea", (c) => c.notNull())
    .addColumn("embedded", "boolean", (c) => c.notNull())
    .addColumn("type", "int4", (c) => c.notNull())
    .addPrimaryKeyConstraint("transaction_addresses_pkey", ["address", "id"])
    .execute();
  await db.schema.createIndex("transaction_addresses_id").on("transaction_addresses").column("id").execute();
  await topIndex(db, "transaction_addresses", "", ["address"]);
  await topAndAll(db, "transaction_addresses", "_type", ["address", "type"]);

  await db.schema
    .createTable("transaction_mosaics")
    .addColumn("mosaic_id", "bytea", (c) => c.notNull())
    .addColumn("id", "bytea", (c) => c.notNull())
    .addColumn("embedded", "boolean", (c) => c.notNull())
    .addColumn("amount", "int8", (c) => c.notNull())
    .addPrimaryKeyConstraint("transaction_mosaics_pkey", ["mosaic_id", "id"])
    .execute();
  await db.schema.createIndex("transaction_mosaics_id").on("transaction_mosaics").column("id").execute();
  await topIndex(db, "transaction_mosaics", "", ["mosaic_id"]);
  await db.schema
    .createIndex("transaction_mosaics_amount")
    .on("transaction_mosaics")
    .columns(["mosaic_id", "amount", "id", "embedded"])
    .execute();

  await db.schema
    .createTable("transaction_statements")
    .addColumn("id", "bytea", (c) => c.primaryKey())
    .addColumn("primary_id", "int4", (c) => c.notNull())
    .addColumn("secondary_id", "int4", (c) => c.notNull())
    .addColumn("hash", "bytea", (c) => c.notNull())
    .addColumn("document", "text", (c) => c.notNull())
    .execute();

  await db.schema
    .createTable("receipts")
    .addColumn("statement_id", "bytea", (c) => c.notNull())
    .addColumn("index", "int4", (c) => c.notNull())
    .addColumn("type", "int4", (c) => c.notNull())
    .addColumn("sender_address", "bytea")
    .addColumn("recipient_address", "bytea")
    .addColumn("target_address", "bytea")
    .addColumn("mosaic_id", "bytea")
    .addColumn("amount", "int8")
    .addColumn("artifact_id", "bytea")
    .addPrimaryKeyConstraint("receipts_pkey", ["statement_id", "index"])
    .execute();
  await db.schema.createIndex("receipts_type").on("receipts").columns(["type", "statement_id"]).execute();
  for (const name of ["sender_address", "recipient_address", "target_address", "artifact_id"]) {
    await db.schema
      .createIndex(`receipts_${name}`)
      .on("receipts")
      .columns([name, "statement_id"])
      .where(sql.ref(name), "is not", null)
      .execute();
  }

  for (const kind of ["address", "mosaic"]) {
    await db.schema
      .createTable(`${kind}_resolution_statements`)
      .addColumn("id", "bytea", (c) => c.primaryKey())
      .addColumn("unresolved", "bytea", (c) => c.notNull())
      .addColumn("hash", "bytea", (c) => c.notNull())
      .addColumn("document", "text", (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex(`${kind}_resolution_statements_unresolved`)
      .on(`${kind}_resolution_statements`)
      .columns(["unresolved", "id"])
      .execute();
  }

  await db.schema
    .createTable("finalized_blocks")
    .addColumn("epoch", "int8", (c) => c.notNull())
    .addColumn("point", "int8", (c) => c.notNull())
    .addColumn("height", "int8", (c) => c.notNull())
    .addColumn("hash", "bytea", (c) => c.notNull())
    .addPrimaryKeyConstraint("finalized_blocks_pkey", ["epoch", "point"])
    .execute();
  await db.schema.createIndex("finalized_blocks_height").on("finalized_blocks").column("height").execute();

  await db.schema
    .createTable("counters")
    .addColumn("collection", "int2", (c) => c.notNull())
    .addColumn("key", "bytea", (c) => c.notNull())
    .addColumn("count", "int8", (c) => c.notNull().check(sql`count > 0`))
    .addPrimaryKeyConstraint("counters_pkey", ["collection", "key"])
    .execute();

  await db.schema
    .createTable("milestones")
    .addColumn("collection", "int2", (c) => c.notNull())
    .addColumn("key", "bytea", (c) => c.notNull())
    .addColumn("ordinal", "int8", (c) => c.notNull())
    .addColumn("id", "bytea", (c) => c.notNull())
    .addPrimaryKeyConstraint("milestones_pkey", ["collection", "key", "ordinal"])
    .execute();
  await db.schema.createIndex("milestones_id").on("milestones").columns(["collection", "key", "id"]).execute();
  await db.schema.createIndex("milestones_height").on("milestones").column("id").execute();

  await db.schema
    .createTable("events")
    .addColumn("sequence", "int8", (c) => c.primaryKey())
    .addColumn("channel", "text", (c) => c.notNull())
    .addColumn("height", "int8", (c) => c.notNull())
    .addColumn("addresses", sql`bytea[]`, (c) => c.notNull())
    .addColumn("data", "text", (c) => c.notNull())
    .addColumn("created_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .execute();
  await db.schema.createIndex("events_created_at").on("events").column("created_at").execute();
}

/** Two indexes that end in the id: one over everything, one over what is not embedded. An empty list of columns needs only the second, the primary key is the first. */
async function topAndAll(
  db: Kysely<unknown>,
  table: string,
  suffix: string,
  columns: string[],
  condition = sql<boolean>`true`,
): Promise<void> {
  if (columns.length > 0) {
    await sql`create index ${sql.id(`${table}${suffix}_all`)} on ${sql.table(table)} (${sql.join([...columns, "id"].map((c) => sql.ref(c)))}) where ${condition}`.execute(
      db,
    );
  }
  await topIndex(db, table, suffix, columns, condition);
}

async function topIndex(
  db: Kysely<unknown>,
  table: string,
  suffix: string,
  columns: string[],
  condition = sql<boolean>`true`,
): Promise<void> {
  await sql`create index ${sql.id(`${table}${suffix}_top`)} on ${sql.table(table)} (${sql.join([...columns, "id"].map((c) => sql.ref(c)))}) where not embedded and ${condition}`.execute(
    db,
  );
}
