import { randomBytes } from "node:crypto";
import pg from "pg";
import { migrateToLatest } from "../../migrations/migrate.js";

/** A separate database for one test or one test file. */
export interface TestDatabase {
  /** postgres:// URL with user and password. */
  readonly url: string;
  /** Drops the database; connections that are still open are cut. */
  drop(): Promise<void>;
}

/** A new, empty database on the test run's server. Call `drop` in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createFrom("template0");
}

/** A new database with all migrations applied, copied from one that was migrated once in this run. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  return createFrom(await template("migrated", migrateToLatest));
}

/** A database that is filled once in a run, to be copied; `fill` closes its connections before it ends. */
export interface FilledDatabase {
  readonly name: string;
  readonly fill: (url: string) => Promise<void>;
}

/**
 * A copy of `filled`, which begins as a copy of `base`, by default a migrated database. The first test file that requests
 * one of these names fills it, the others wait for it.
 */
export async function createFilledDatabase(filled: FilledDatabase, base?: FilledDatabase): Promise<TestDatabase> {
  const migrated = await template("migrated", migrateToLatest);
  const begin = base ? await template(base.name, base.fill, migrated) : migrated;
  return createFrom(await template(filled.name, filled.fill, begin));
}

/** A new database with the content of another one of this run, which must have no connections. */
export async function copyDatabase(url: string): Promise<TestDatabase> {
  return createFrom(new URL(url).pathname.slice(1));
}

const templatePrefix = "test_template_";
/** Any number, the same in all processes of a run. */
const templateLock = 7_202_611;

async function createFrom(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await asAdmin((client) => copy(client, name, template));
  return {
    url: databaseUrl(name),
    drop: async () => {
      await asAdmin((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

/** Drops templates of an earlier run on an existing server: their migrations may be older. */
export async function dropTemplates(): Promise<void> {
  await asAdmin(async (client) => {
    const found = await client.query("SELECT datname FROM pg_database WHERE starts_with(datname, $1)", [
      templatePrefix,
    ]);
    for (const { datname } of found.rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
  });
}

/** Copying files takes a third of the processor time that the default, copying through the log, takes. */
async function copy(client: pg.Client, name: string, template: string): Promise<void> {
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
}

/** The name of a database to copy, which is created and filled if it does not exist yet. */
async function template(name: string, fill: (url: string) => Promise<unknown>, base = "template0"): Promise<string> {
  return asAdmin(async (client) => {
    // Test files run in several processes at once: the first makes the template, the others wait for it.
    await client.query("SELECT pg_advisory_lock($1, hashtext($2))", [templateLock, name]);
    const finished = `${templatePrefix}${name}`;
    const found = await client.query("SELECT FROM pg_database WHERE datname = $1", [finished]);
    if (found.rowCount === 0) {
      const unfinished = `${finished}_unfinished`;
      await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
      await copy(client, unfinished, base);
      await fill(databaseUrl(unfinished));
      await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${finished}`);
    }
    return finished;
  });
}

function databaseUrl(name: string): string {
  const url = new URL(adminUrl());
  url.pathname = `/${name}`;
  return url.href;
}

function adminUrl(): string {
  const url = process.env.TEST_POSTGRES_URL;
  if (!url)
    throw new Error("TEST_POSTGRES_URL is not set: jest's global setup (test/support/global-setup.ts) did not run");
  return url;
}

function asAdmin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withClient(adminUrl(), work);
}

/** Runs `work` with a connection of its own, and closes it. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
