import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import pg from "pg";
import { openDatabase } from "../../database/connection.js";
import { Webhooks } from "../../schema/webhooks/webhooks.js";
import { COMPARED_IF_EXECUTED, differences } from "../support/compare-databases.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { urlOfReader } from "../support/reader-user.js";
import { until } from "../support/until.js";

/** What a role, a database or a server may have set. */
const SETTINGS: Readonly<Record<string, string>> = {
  standard_conforming_strings: "off",
  backslash_quote: "off",
  array_nulls: "off",
  bytea_output: "escape",
  client_min_messages: "debug5",
  datestyle: "SQL, DMY",
  default_transaction_isolation: "repeatable read",
  extra_float_digits: "-15",
  idle_in_transaction_session_timeout: "1s",
  intervalstyle: "sql_standard",
  quote_all_identifiers: "on",
  statement_timeout: "20s",
  timezone: "Pacific/Kiritimati",
  transform_null_equals: "on",
};
const BLOCKS = 4;

let fixture: DevnetFixture;
/** Without and with these settings. */
let usual: IndexedDatabase;
let hostile: IndexedDatabase;

beforeAll(async () => {
  fixture = await DevnetFixture.start({ seed: "settings" });
  usual = await IndexedDatabase.create();
  hostile = await IndexedDatabase.create();
  await setAll();
});

async function setAll(): Promise<void> {
  const name = new URL(hostile.url).pathname.slice(1);
  for (const [setting, value] of Object.entries(SETTINGS))
    await sql.raw(`alter database ${name} set ${setting} = '${value}'`).execute(usual.db);
}

afterAll(async () => {
  await usual.drop();
  await hostile.drop();
  await fixture.stop();
});

test("an index does not depend on settings of its role, its database and its server", async () => {
  const { devnet } = fixture;
  for (let n = 1; n <= BLOCKS; ++n) {
    const message = Buffer.from("\0grüße \\ 'x'");
    devnet.announce(signedPayload(devnet, fixture.account("alice"), { amount: BigInt(n), message }));
    for (const index of n === 1 ? [usual, hostile] : []) await index.follow(devnet);
    // Rows of pending transactions are deleted with the block.
    for (const { db } of [usual, hostile]) {
      await until(async () => {
        const rows = await db.selectFrom("pending_transactions").select("hash").execute();
        return rows.length > 0;
      }, "the transfer is pending");
    }
    await devnet.harvest(1);
    for (const index of [usual, hostile]) await index.waitForHash(devnet.block(devnet.height).hash);
  }
  await usual.stop();
  await hostile.stop();
  await sql.raw(`alter database ${new URL(hostile.url).pathname.slice(1)} reset all`).execute(usual.db);
  expect(await differences(usual.url, hostile.url, COMPARED_IF_EXECUTED)).toEqual([]);
});

test("a time that the program reads does not depend on them", async () => {
  await setAll();
  const before = Date.now();
  const db = openDatabase({ url: hostile.url, poolSize: 1 });
  try {
    const webhooks = new Webhooks(db, []);
    await webhooks.add({ url: "https://shop.example/hook", topics: ["block"] });
    const [webhook] = await webhooks.list();
    expect(Math.abs(Number(webhook?.created_at) - before)).toBeLessThan(3_600_000);
  } finally {
    await db.destroy();
  }
});

/** Rows of all views, and values of all functions, in the binary form: texts of times are as the client wants them. */
async function readAll(url: string, settings: Readonly<Record<string, string>>): Promise<Record<string, unknown[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: views } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relkind = 'v' and relnamespace = 'analytics'::regnamespace order by 1",
    );
    const { rows: functions } = await client.query<{ name: string }>(
      "select distinct proname as name from pg_proc where pronamespace = 'analytics'::regnamespace order by 1",
    );
    for (const [setting, value] of Object.entries(settings)) await client.query(`set ${setting} = '${value}'`);
    const calls: Readonly<Record<string, string>> = {
      ...Object.fromEntries(views.map(({ name }) => [name, `select record_send(t) as value from analytics.${name} t`])),
      address: "select analytics.address(key) as value from public.keys where kind = 1",
      height_at: "select analytics.height_at(time) as value from analytics.blocks",
      message_bytes: "select analytics.message_bytes(substring(block from 377), false) as value from public.raw_blocks",
      message_text: "select analytics.message_text(decode(message_hex, 'hex')) as value from analytics.transactions",
      network_time: "select extract(epoch from analytics.network_time(timestamp)) as value from public.blocks",
      receipt_mosaic: "select mosaic_id as value from analytics.receipts",
      transaction_id: "select analytics.transaction_id(hash) as value from analytics.transactions",
    };
    expect(functions.filter(({ name }) => !(name in calls))).toEqual([]);
    const found: Record<string, unknown[]> = {};
    for (const [name, call] of Object.entries(calls)) {
      const { rows } = await client.query<{ value: unknown }>(call);
      found[name] = rows.map(({ value }) => String(Buffer.isBuffer(value) ? value.toString("hex") : value)).sort();
    }
    return found;
  } finally {
    await client.end();
  }
}

test("views and functions do not depend on settings, nor on the search path", async () => {
  const reader = await urlOfReader(usual.url);
  const expected = await readAll(reader, {});
  expect(expected.transfers?.length).toBeGreaterThanOrEqual(BLOCKS);
  expect(expected.message_text).toContain("grüße \\ 'x'");
  const { statement_timeout: _, ...settings } = SETTINGS;
  expect(await readAll(reader, { ...settings, search_path: "pg_temp" })).toEqual(expected);
});
