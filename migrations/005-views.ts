import { type Kysely, sql } from "kysely";
import { type SqlView, VIEWS } from "./chain-views.js";
import { DAILY_VIEWS } from "./daily-views.js";
import { SUM_VIEWS } from "./open-sums.js";
import { schemaName } from "./schema-name.js";
import { STATE_VIEWS } from "./state-views.js";
import { FUNCTIONS, type SqlFunction } from "./view-functions.js";

/** What the views and functions read: they run with the rights of their caller. */
const READ_TABLES = [
  ...["head", "blocks", "raw_blocks", "transactions", "transaction_mosaics", "transaction_addresses", "keys"],
  ...["receipts", "transaction_statements", "balance_changes", "daily_sums"],
  ...["open_sums", "sums_by_day"],
  ...["accounts", "account_balances", "mosaics", "namespaces", "namespace_registrations"],
  ...["metadata", "multisigs", "account_restrictions", "mosaic_restrictions", "hash_locks", "secret_locks"],
  ...["transaction_statuses", "finalized_blocks", "pending_transactions"],
];

/** The functions that read tables. */
const LOOK_UPS: readonly SqlFunction[] = [
  {
    signature: `height_at("time" timestamptz)`,
    returns: "int",
    language: "sql",
    volatility: "stable",
    body: `select coalesce(
      (select height from SCHEMA.blocks
        where timestamp >= ceil(extract(epoch from $1) * 1000) - (select epoch_adjustment from SCHEMA.head)
        order by timestamp limit 1),
      (select height + 1 from SCHEMA.head)::int)`,
    comment: "Height of the first block at a time or later; one above the newest block if there is none.",
  },
  {
    signature: "transaction_id(hash text)",
    returns: "int8",
    language: "sql",
    volatility: "stable",
    body: "select t.id from SCHEMA.transactions t where t.hash = decode($1, 'hex')",
    comment: "Id of the transaction with this hash, as in analytics.transactions; null if it is not confirmed.",
  },
];

/**
 * Tables whose rows have ids of the chain: their heights are found by block ranges, as rows are in the order of the
 * chain. Ranges are small, since a condition on a time looks each of its blocks up.
 */
const BY_HEIGHT = { transactions: "id", transaction_mosaics: "id", receipts: "statement_id" };

/** What PostgreSQL has to count to estimate how many rows a key has, as a condition does not name a column itself. */
const STATISTICS: readonly (readonly [name: string, table: string, expression: string])[] = [
  ["keys_address_text", "keys", "analytics.address(key)"],
  ["keys_id_text", "keys", "upper(encode(key, 'hex'))"],
  ["transactions_signers", "transactions", "signer >> 1"],
  ["transactions_recipients", "transactions", "recipient >> 1"],
  ["transaction_mosaics_mosaics", "transaction_mosaics", "mosaic >> 1"],
];

/**
 * Views for people, in a schema of their own, with the functions that they use, the indexes that conditions on them
 * reach, and a role that sees these views and what they are made of.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createSchema("analytics").execute();
  await sql`comment on schema analytics is 'The chain in tables for people: see docs/sql.md.'`.execute(db);
  for (const one of [...FUNCTIONS, ...LOOK_UPS]) await createFunction(db, one);
  await createNetworkTime(db);
  await createIndexes(db);
  for (const [name, table, expression] of STATISTICS) {
    await sql.raw(`create statistics ${name} on (${expression}) from ${table}`).execute(db);
  }
  await sql.raw(SUM_VIEWS).execute(db);
  for (const [name, view] of Object.entries({ ...VIEWS, ...STATE_VIEWS, ...DAILY_VIEWS }))
    await createView(db, name, view);
  await createReader(db);
}

/** With its comments, in the schema `analytics`. */
async function createView(db: Kysely<unknown>, name: string, view: SqlView): Promise<void> {
  const columns = Object.entries(view.columns).map(([column, { sql: text }]) => `${text} as "${column}"`);
  await sql
    .raw(
      `create view analytics.${name} with (security_invoker = on) as select ${columns.join(",\n")} from ${view.from}`,
    )
    .execute(db);
  await comment(db, `view analytics.${name}`, view.comment);
  for (const [column, about] of Object.entries(view.columns))
    await comment(db, `column analytics.${name}."${column}"`, about.comment);
}

/**
 * What keeps a function from running what its caller has defined, with whatever rights: no name is looked up among
 * temporary objects before others, and tables are named with their schema.
 */
const FIXED_PATH = "set search_path = pg_catalog, pg_temp";

async function createFunction(db: Kysely<unknown>, one: SqlFunction): Promise<void> {
  const { signature, returns, language, volatility, body } = one;
  const isStrict = language === "plpgsql" ? "strict" : "";
  const text = body.replaceAll("SCHEMA", await schemaName(db));
  await sql
    .raw(
      `create function analytics.${signature} returns ${returns}
        language ${language} ${volatility} parallel safe ${isStrict} ${FIXED_PATH} as $body$ ${text} $body$`,
    )
    .execute(db);
  await comment(db, `function analytics.${signature}`, one.comment);
}

/**
 * The time of a timestamp, by which blocks are indexed: so it cannot read when the network's time begins. That is a
 * constant in it, and it is defined again when the indexer has noted another one, once in the life of a database.
 */
async function createNetworkTime(db: Kysely<unknown>): Promise<void> {
  const signature = `network_time("timestamp" int8)`;
  const body = (epoch: string) => `begin return to_timestamp(($1 + ${epoch}) / 1000.0::float8); end`;
  const about = { signature, returns: "timestamptz", language: "plpgsql", volatility: "immutable" } as const;
  await createFunction(db, {
    ...about,
    body: body("null"),
    comment:
      "The time of a timestamp, which counts milliseconds of the network; null while epoch in analytics.network is.",
  });
  const schema = await schemaName(db);
  const text = `
    create function ${schema}.define_network_time() returns trigger language plpgsql ${FIXED_PATH} as $$
    begin
      execute format('create or replace function analytics.${signature} returns timestamptz
        language plpgsql immutable parallel safe strict ${FIXED_PATH} as %L',
        format('${body("%s")}', coalesce(new.epoch_adjustment::text, 'null')));
      -- While a database is filled there is none.
      if to_regclass('${schema}.blocks_time') is not null then reindex index ${schema}.blocks_time; end if;
      return null;
    end $$;
    create trigger head_epoch after insert or update of epoch_adjustment on head
      for each row execute function define_network_time();
    -- Also where logical replication writes the row.
    alter table head enable always trigger head_epoch`;
  await sql.raw(text).execute(db);
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  await sql`create index keys_address on keys (analytics.address(key)) where kind = 1`.execute(db);
  await sql`create index keys_id on keys (upper(encode(key, 'hex'))) where kind in (3, 4)`.execute(db);
  await sql`create index accounts_text on accounts (analytics.address(address))`.execute(db);
  await sql`create index accounts_public_key on accounts (public_key)`.execute(db);
  await sql`create index blocks_time on blocks (analytics.network_time("timestamp"))`.execute(db);
  await sql`create index mosaics_text on mosaics (upper(encode(mosaic_id, 'hex')))`.execute(db);
  await sql`create index balance_changes_account on balance_changes (account, height)`.execute(db);
  for (const [table, id] of Object.entries(BY_HEIGHT)) {
    await sql`create index ${sql.id(`${table}_height`)} on ${sql.table(table)} using brin (((${sql.ref(id)} >> 32)::int4))
      with (autosummarize = on, pages_per_range = 32)`.execute(db);
  }
}

/** The role belongs to all databases of a server, and only some users may create one: without it, all else is the same. */
async function createReader(db: Kysely<unknown>): Promise<void> {
  await sql`do $$ begin
    if to_regrole('symbol_reader') is null then
      begin
        create role symbol_reader;
      exception when insufficient_privilege or duplicate_object or unique_violation then null;
      end;
    end if;
  end $$`.execute(db);
}

/** Lets the role read the views and what they are made of, if it exists; nothing else. */
export async function grantToReader(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ found: boolean }>`select to_regrole('symbol_reader') is not null as found`.execute(db);
  if (!rows[0]?.found) return;
  const schema = await schemaName(db);
  const tables = READ_TABLES.map((table) => `${schema}.${table}`).join(", ");
  await sql
    .raw(
      `grant usage on schema ${schema}, analytics to symbol_reader;
      grant select on ${tables} to symbol_reader;
      grant select on all tables in schema analytics to symbol_reader`,
    )
    .execute(db);
}

async function comment(db: Kysely<unknown>, on: string, text: string): Promise<void> {
  await sql`comment on ${sql.raw(on)} is ${sql.lit(text)}`.execute(db);
}
