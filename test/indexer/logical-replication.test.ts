import path from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { type EmbeddedPostgres, startPostgres } from "../../cli/postgres/embedded-postgres.js";
import { migrateToLatest } from "../../migrations/migrate.js";
import { COMPARED_IF_EXECUTED, differences } from "../support/compare-databases.js";
import { silentLog } from "../support/connection-fixtures.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { throwawaySettings } from "../support/throwaway-settings.js";
import { until } from "../support/until.js";

let postgres: EmbeddedPostgres;
let fixture: DevnetFixture;
const folder = temporaryFolder(async () => {
  await fixture.stop();
  await postgres.stop();
});

beforeAll(async () => {
  postgres = await startPostgres({
    dataDirectory: path.join(folder, "postgres"),
    log: silentLog,
    settings: { ...throwawaySettings, wal_level: "logical", max_wal_senders: "10" },
    temporary: true,
  });
  fixture = await DevnetFixture.start({ seed: "logical replication" });
});

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function createIndex(name: string): Promise<string> {
  await ask(postgres.connectionString, `create database ${name}`);
  const url = Object.assign(new URL(postgres.connectionString), { pathname: `/${name}` }).href;
  await migrateToLatest(url);
  return url;
}

/** What a publication of deletes and updates needs: a primary key, or that old rows are in the log. */
const WITHOUT_IDENTITY = `
  select c.relname as name from pg_class c
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relreplident <> 'f'
    and not (c.relreplident = 'd' and exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary))
    and not (c.relreplident = 'i' and exists (select from pg_index i where i.indrelid = c.oid and i.indisreplident))
  order by 1`;

/** Follows all tables of one database in another one, which has the same empty tables. */
async function subscribe(from: string, to: string): Promise<void> {
  const tables = await ask<{ name: string }>(
    to,
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  await ask(to, `truncate ${tables.map(({ name }) => name).join(", ")}`);
  await ask(from, "create publication everything for all tables");
  // On one server, a subscription cannot create its slot itself: it would wait for its own transaction.
  await ask(from, "select pg_create_logical_replication_slot('everything', 'pgoutput')");
  const connection = new URL(from);
  await ask(
    to,
    `create subscription everything connection '${connection.href}' publication everything
      with (slot_name = everything, create_slot = false)`,
  );
}

test("each table can be published, and a database that follows all of them by logical replication is equal after a fork", async () => {
  const [from, to] = [await createIndex("published"), await createIndex("following")];
  expect(await ask(from, WITHOUT_IDENTITY)).toEqual([]);
  await subscribe(from, to);
  const { devnet } = fixture;
  const grow = async (blocks: number, amount: bigint) => {
    for (let n = 0; n < blocks; ++n) {
      devnet.announce(signedPayload(devnet, fixture.account("alice"), { amount }));
      await devnet.harvest(1);
    }
  };
  const index = IndexedDatabase.at(from);
  try {
    await grow(5, 1n);
    await index.follow(devnet);
    await index.waitForHash(devnet.block(devnet.height).hash);
    devnet.fork({ from: 3, blocks: 1 });
    await grow(6, 2n);
    await index.waitForHash(devnet.block(devnet.height).hash);
    await index.stop();
    // What the tables had at the start is copied apart from what was written since, so only the rows tell.
    let different: string[] = [];
    await until(
      async () => {
        different = await differences(from, to, COMPARED_IF_EXECUTED);
        return different.length === 0;
      },
      () => `the other database has received everything: ${different}`,
    );
    const times = "select height, time from analytics.blocks order by height";
    expect(await ask(to, times)).toEqual(await ask(from, times));
    expect(await ask(to, "select from analytics.blocks where time is null")).toEqual([]);
  } finally {
    await index.close();
    await ask(to, "alter subscription everything disable");
    await ask(to, "alter subscription everything set (slot_name = none)");
    await ask(to, "drop subscription everything");
  }
});
