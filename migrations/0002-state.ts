import { type Kysely, sql } from "kysely";

/**
 * The state: a row for each account, mosaic, namespace, multisig entry, metadata entry, lock and restriction, with the
 * value as the node gave it and its REST body. Ids are 12 bytes, numbers that grow with the order in which rows came.
 * Ids of mosaics, namespaces and metadata keys are 8 bytes, big-endian.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("head")
    .addColumn("state_height", "int8")
    .addColumn("state_sequence", "int8", (c) => c.notNull().defaultTo(0))
    .addColumn("touched_height", "int8", (c) => c.notNull().defaultTo(0))
    .execute();

  await db.schema
    .createTable("pending_states")
    .addColumn("kind", "int2", (c) => c.notNull())
    .addColumn("key", "bytea", (c) => c.notNull())
    .addColumn("height", "int8", (c) => c.notNull())
    .addPrimaryKeyConstraint("pending_states_pkey", ["kind", "key"])
    .execute();
  await db.schema
    .createIndex("pending_states_height")
    .on("pending_states")
    .columns(["height", "kind", "key"])
    .execute();

  await db.schema
    .createTable("spans")
    .addColumn("collection", "int2", (c) => c.notNull())
    .addColumn("key", "bytea", (c) => c.notNull())
    .addColumn("start", "bytea", (c) => c.notNull())
    .addColumn("count", "int8", (c) => c.notNull().check(sql`count > 0`))
    .addPrimaryKeyConstraint("spans_pkey", ["collection", "key", "start"])
    .execute();

  await stateTable(db, "accounts", "address")
    .addColumn("public_key", "bytea", (c) => c.notNull())
    .addColumn("account_type", "int2", (c) => c.notNull())
    .addColumn("linked_public_key", "bytea")
    .addColumn("importance", sql`numeric(20)`, (c) => c.notNull())
    .addColumn("importance_height", "int8", (c) => c.notNull())
    .addColumn("read_height", "int8", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("accounts_importance")
    .on("accounts")
    .column("address")
    .where(sql.ref("importance_height"), ">", sql.lit(0))
    .execute();

  await db.schema
    .createTable("account_balances")
    .addColumn("id", "bytea", (c) => c.notNull())
    .addColumn("mosaic_id", "bytea", (c) => c.notNull())
    .addColumn("amount", sql`numeric(20)`, (c) => c.notNull())
    .addPrimaryKeyConstraint("account_balances_pkey", ["id", "mosaic_id"])
    .execute();
  await index(db, "account_balances", "mosaic", ["mosaic_id", "id"]);
  await index(db, "account_balances", "amount", ["mosaic_id", "amount", "id"]);

  await db.schema
    .createTable("balance_levels")
    .addColumn("mosaic_id", "bytea", (c) => c.notNull())
    .addColumn("level", sql`numeric(20)`, (c) => c.notNull())
    .addColumn("count", "int8", (c) => c.notNull().check(sql`count > 0`))
    .addPrimaryKeyConstraint("balance_levels_pkey", ["mosaic_id", "level"])
    .execute();

  await stateTable(db, "mosaics", "mosaic_id")
    .addColumn("owner_address", "bytea", (c) => c.notNull())
    .addColumn("supply", sql`numeric(20)`, (c) => c.notNull())
    .addColumn("start_height", "int8", (c) => c.notNull())
    .addColumn("end_height", "int8")
    .addColumn("flags", "int2", (c) => c.notNull())
    .addColumn("divisibility", "int2", (c) => c.notNull())
    .execute();
  await index(db, "mosaics", "owner", ["owner_address", "id"]);

  await db.schema
    .createTable("namespaces")
    .addColumn("id", "bytea", (c) => c.primaryKey())
    .addColumn("namespace_id", "bytea", (c) => c.notNull().unique())
    .addColumn("level0", "bytea", (c) => c.notNull())
    .addColumn("level1", "bytea")
    .addColumn("level2", "bytea")
    .addColumn("registration_type", "int2", (c) => c.notNull())
    .addColumn("alias_type", "int2", (c) => c.notNull())
    .addColumn("alias_mosaic_id", "bytea")
    .addColumn("alias_address", "bytea")
    .addColumn("owner_address", "bytea", (c) => c.notNull())
    .addColumn("start_height", "int8", (c) => c.notNull())
    .addColumn("end_height", "int8")
    .addColumn("earlier_end_heights", sql`int8[]`, (c) => c.notNull())
    .addColumn("value", "bytea")
    .addColumn("document", "text", (c) => c.notNull())
    .execute();
  await index(db, "namespaces", "level0", ["level0", "id"]);
  await index(db, "namespaces", "owner", ["owner_address", "id"]);
  await index(db, "namespaces", "registration_type", ["registration_type", "id"]);
  await index(db, "namespaces", "alias_type", ["alias_type", "id"]);
  await index(db, "namespaces", "types", ["registration_type", "alias_type", "id"]);
  await index(db, "namespaces", "end", ["end_height"], "end_height");
  await index(db, "namespaces", "alias_mosaic", ["alias_mosaic_id"], "alias_mosaic_id");
  await index(db, "namespaces", "alias_address", ["alias_address"], "alias_address");

  await db.schema
    .createTable("namespace_registrations")
    .addColumn("id", "bytea", (c) => c.primaryKey())
    .addColumn("namespace_id", "bytea", (c) => c.notNull())
    .addColumn("parent_id", "bytea")
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("duration", sql`numeric(20)`)
    .execute();
  await index(db, "namespace_registrations", "namespace", ["namespace_id", "id"]);

  await stateTable(db, "multisigs", "address")
    .addColumn("min_approval", "int8", (c) => c.notNull())
    .addColumn("min_removal", "int8", (c) => c.notNull())
    .addColumn("cosignatory_addresses", sql`bytea[]`, (c) => c.notNull())
    .addColumn("multisig_addresses", sql`bytea[]`, (c) => c.notNull())
    .execute();

  await stateTable(db, "metadata", "composite_hash")
    .addColumn("source_address", "bytea", (c) => c.notNull())
    .addColumn("target_address", "bytea", (c) => c.notNull())
    .addColumn("scoped_metadata_key", "bytea", (c) => c.notNull())
    .addColumn("target_id", "bytea", (c) => c.notNull())
    .addColumn("metadata_type", "int2", (c) => c.notNull())
    .execute();
  await index(db, "metadata", "source", ["source_address", "id"]);
  await index(db, "metadata", "target", ["target_address", "source_address", "id"]);
  await index(db, "metadata", "target_address", ["target_address", "id"]);
  await index(db, "metadata", "key", ["scoped_metadata_key", "id"]);
  await index(db, "metadata", "target_id", ["target_id", "id"]);
  await index(db, "metadata", "type", ["metadata_type", "id"]);

  await stateTable(db, "hash_locks", "hash")
    .addColumn("owner_address", "bytea", (c) => c.notNull())
    .addColumn("end_height", "int8", (c) => c.notNull())
    .addColumn("status", "int2", (c) => c.notNull())
    .execute();
  await index(db, "hash_locks", "owner", ["owner_address", "id"]);
  await index(db, "hash_locks", "end", ["end_height"]);

  await stateTable(db, "secret_locks", "composite_hash")
    .addColumn("owner_address", "bytea", (c) => c.notNull())
    .addColumn("recipient_address", "bytea", (c) => c.notNull())
    .addColumn("secret", "bytea", (c) => c.notNull())
    .addColumn("end_height", "int8", (c) => c.notNull())
    .addColumn("status", "int2", (c) => c.notNull())
    .execute();
  await index(db, "secret_locks", "owner", ["owner_address", "id"]);
  await index(db, "secret_locks", "secret", ["secret", "id"]);
  await index(db, "secret_locks", "end", ["end_height"]);

  await stateTable(db, "account_restrictions", "address").execute();

  await stateTable(db, "mosaic_restrictions", "composite_hash")
    .addColumn("mosaic_id", "bytea", (c) => c.notNull())
    .addColumn("entry_type", "int2", (c) => c.notNull())
    .addColumn("target_address", "bytea")
    .execute();
  await index(db, "mosaic_restrictions", "mosaic", ["mosaic_id", "id"]);
  await index(db, "mosaic_restrictions", "entry_type", ["entry_type", "id"]);
  await index(db, "mosaic_restrictions", "target", ["target_address", "id"], "target_address");
}

/** What all kinds of state have: id, the key by which the node knows them, the node's bytes, the REST body. */
function stateTable(db: Kysely<unknown>, name: string, key: string) {
  return db.schema
    .createTable(name)
    .addColumn("id", "bytea", (c) => c.primaryKey())
    .addColumn(key, "bytea", (c) => c.notNull().unique())
    .addColumn("value", "bytea", (c) => c.notNull())
    .addColumn("document", "text", (c) => c.notNull());
}

async function index(
  db: Kysely<unknown>,
  table: string,
  suffix: string,
  columns: string[],
  notNull?: string,
): Promise<void> {
  const builder = db.schema.createIndex(`${table}_${suffix}`).on(table).columns(columns);
  await (notNull ? builder.where(sql.ref(notNull), "is not", null) : builder).execute();
}
