import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Attack, Target } from "./attack.js";
import type { Hostile } from "./hostile.js";

/** As many connections as docs/sql.md gives a user of the views. */
const CONNECTIONS = 3;

/** Statements of a user of the views, one after another on each connection. Errors of the server are ignored. */
function statements(name: string, about: string, next: (n: number) => readonly string[]): Attack {
  return {
    name,
    about,
    run: async ({ readerUrl }: Target, hostile: Hostile) => {
      let n = 0;
      await hostile.repeat(CONNECTIONS, async () => {
        const client = new pg.Client({ connectionString: readerUrl });
        client.on("error", () => undefined);
        await client.connect().catch(() => sleep(100));
        while (!hostile.hasEnded) {
          n += 1;
          for (const one of next(n)) await client.query(one).catch(() => undefined);
        }
        await client.end();
      });
    },
  };
}

const READ = ["blocks", "transactions", "transfers", "balance_changes", "receipts", "harvests", "balances"];
const SHADOWED = ["head", "blocks", "transactions", "keys", "receipts"];

/** What a user of the SQL views can do: the role symbol_reader. */
export const readerAttacks: readonly Attack[] = [
  statements("reader-scans", "Counts whole views, with texts of all rows.", (n) => [
    `select count(distinct v::text) from analytics.${READ[n % READ.length]} v`,
  ]),
  statements("reader-temporary", "Temporary tables and views with the names of tables, below the views.", () => [
    ...SHADOWED.flatMap((one) => [
      `create temporary view ${one} as select * from public.${one}`,
      `create temporary table ${one} as select * from public.${one} limit 1000`,
    ]),
    "set search_path = pg_temp, public",
    "select analytics.height_at(now()), analytics.transaction_id('00')",
    "discard all",
  ]),
  statements("reader-rights", "Asks for rights, files and programs that the role has not.", () => [
    "set role postgres",
    "copy (select 1) to program 'cat'",
    "select pg_read_file('postgresql.conf')",
    "select lo_import('/etc/passwd')",
    "alter system set log_statement = 'all'",
    "create table public.own (n int)",
    "update public.head set height = 1",
    "select * from public.webhooks",
  ]),
  statements("reader-locks", "Keeps what it reads locked in transactions that it leaves open.", (n) => [
    "begin isolation level serializable",
    ...["head", "blocks", "transactions"].map((one) => `lock table public.${one} in access exclusive mode`),
    "rollback; begin isolation level serializable",
    `select * from analytics.${READ[n % READ.length]} limit 1000`,
    "select pg_sleep(1)",
    "commit",
  ]),
];
