import { type Kysely, sql } from "kysely";

/**
 * The life of a transaction before the block: those that wait for a block (unconfirmed) or for cosignatures (partial),
 * with what they are searched by; statuses; those whose fate is awaited; what gateways announced.
 * Ids are 12 bytes that sort by arrival: the sequence of the event that told of it (9), index in aggregate (3).
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const group of ["unconfirmed", "partial"]) await createPendingTables(db, group);

  await db.schema
    .createTable("partial_cosignatures")
    .addColumn("hash", "bytea", (c) => c.notNull())
    .addColumn("position", "int4", (c) => c.notNull())
    .addColumn("version", sql`numeric(20)`, (c) => c.notNull())
    .addColumn("signer_public_key", "bytea", (c) => c.notNull())
    .addColumn("signature", "bytea", (c) => c.notNull())
    .addPrimaryKeyConstraint("partial_cosignatures_pkey", ["hash", "signer_public_key"])
    .execute();

  await db.schema
    .createTable("transaction_statuses")
    .addColumn("hash", "bytea", (c) => c.primaryKey())
    .addColumn("code", "text", (c) => c.notNull())
    .addColumn("deadline", sql`numeric(20)`, (c) => c.notNull())
    .addColumn("from_node", "boolean", (c) => c.notNull())
    .addColumn("recorded_at", "timestamptz", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("transaction_statuses_recorded_at")
    .on("transaction_statuses")
    .column("recorded_at")
    .execute();

  await db.schema
    .createTable("awaited_transactions")
    .addColumn("hash", "bytea", (c) => c.primaryKey())
    .addColumn("group", "text", (c) => c.notNull())
    .addColumn("deadline", "int8", (c) => c.notNull())
    .addColumn("addresses", sql`bytea[]`, (c) => c.notNull())
    .addColumn("since", "timestamptz", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("awaited_transactions_deadline").on("awaited_transactions").column("deadline").execute();

  await db.schema
    .createTable("announcements")
    .addColumn("hash", "bytea", (c) => c.primaryKey())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("payload", "bytea", (c) => c.notNull())
    .addColumn("parent_hash", "bytea")
    .addColumn("deadline", "int8", (c) => c.notNull())
    .addColumn("announced_at", "timestamptz", (c) => c.notNull())
    .addColumn("last_pushed_at", "timestamptz", (c) => c.notNull())
    .addColumn("pushes", "int4", (c) => c.notNull())
    .addColumn("next_push_at", "timestamptz")
    .addColumn("heard_at", "timestamptz")
    .execute();
  await db.schema.createIndex("announcements_deadline").on("announcements").column("deadline").execute();
  await db.schema
    .createIndex("announcements_next_push")
    .on("announcements")
    .column("next_push_at")
    .where(sql.ref("next_push_at"), "is not", null)
    .execute();
}

/** The tables of one group. Only top-level transactions have a hash, a deadline, and addresses to tell. */
async function createPendingTables(db: Kysely<unknown>, group: string): Promise<void> {
  const transactions = `${group}_transactions`;
  await db.schema
    .createTable(transactions)
    .addColumn("id", "bytea", (c) => c.primaryKey())
    .addColumn("embedded", "boolean", (c) => c.notNull())
    .addColumn("hash", "bytea")
    .addColumn("type", "int4", (c) => c.notNull())
    .addColumn("signer_public_key", "bytea", (c) => c.notNull())
    .addColumn("recipient_address", "bytea")
    .addColumn("deadline", "int8")
    .addColumn("addresses", sql`bytea[]`)
    .addColumn("payload", "bytea")
    .addColumn("added_at", "timestamptz")
    .addColumn("document", "text", (c) => c.notNull())
    .execute();
  const whereTop = sql<boolean>`not embedded`;
  await sql`create unique index ${sql.id(`${transactions}_hash`)} on ${sql.table(transactions)} (hash) where hash is not null`.execute(
    db,
  );
  for (const [name, column] of [
    ["signer", "signer_public_key"],
    ["recipient", "recipient_address"],
    ["type", "type"],
  ] as const) {
    await db.schema.createIndex(`${transactions}_${name}`).on(transactions).columns([column, "id"]).execute();
  }
  await db.schema.createIndex(`${transactions}_top`).on(transactions).column("id").where(whereTop).execute();
  await db.schema.createIndex(`${transactions}_deadline`).on(transactions).column("deadline").where(whereTop).execute();

  const addresses = `${group}_transaction_addresses`;
  await db.schema
    .createTable(addresses)
    .addColumn("address", "bytea", (c) => c.notNull())
    .addColumn("id", "bytea", (c) => c.notNull())
    .addColumn("embedded", "boolean", (c) => c.notNull())
    .addColumn("type", "int4", (c) => c.notNull())
    .addPrimaryKeyConstraint(`${addresses}_pkey`, ["address", "id"])
    .execute();
  await db.schema.createIndex(`${addresses}_id`).on(addresses).column("id").execute();

  const mosaics = `${group}_transaction_mosaics`;
  await db.schema
    .createTable(mosaics)
    .addColumn("mosaic_id", "bytea", (c) => c.notNull())
    .addColumn("id", "bytea", (c) => c.notNull())
    .addColumn("embedded", "boolean", (c) => c.notNull())
    .addColumn("amount", "int8", (c) => c.notNull())
    .addPrimaryKeyConstraint(`${mosaics}_pkey`, ["mosaic_id", "id"])
    .execute();
  await db.schema.createIndex(`${mosaics}_id`).on(mosaics).column("id").execute();
  await db.schema
    .createIndex(`${mosaics}_amount`)
    .on(mosaics)
    .columns(["mosaic_id", "amount", "id", "embedded"])
    .execute();
}
