import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { READER_USER, urlOfReader } from "../support/reader-user.js";

// Users of the views have the rights of the role symbol_reader, and whatever they run runs with no others: also where the
// owner of the tables is a superuser, as here.

/** A function that reports who runs it. */
const TRAP = `create function pg_temp.trap() returns int language plpgsql as $$ begin
  raise warning 'run by %', current_user; return 1; end $$`;

let database: TestDatabase;
let owner: pg.Client;
let reader: pg.Client;
const warnings: string[] = [];

beforeAll(async () => {
  database = await createMigratedDatabase();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  reader = new pg.Client({ connectionString: await urlOfReader(database.url) });
  reader.on("notice", ({ message = "" }) => warnings.push(message));
  await reader.connect();
});

afterAll(async () => {
  await reader?.end();
  await owner?.end();
  await database?.drop();
});

/** Functions of ours: all but those of the server and of extensions. */
const OUR_FUNCTIONS = `select p.oid::regprocedure::text as name, p.prosecdef, p.proconfig, p.prosrc
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_temp%'
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`;

describe("what runs with whose rights", () => {
  test("no function has more rights than its caller, and each has a fixed path that ends in temporary objects", async () => {
    const { rows } = await owner.query<{ name: string; prosecdef: boolean; proconfig: string[] | null }>(OUR_FUNCTIONS);
    expect(rows.length).toBeGreaterThan(3);
    const wrong = rows.filter(
      ({ prosecdef, proconfig }) =>
        prosecdef || !(proconfig ?? []).some((one) => /^search_path=(.+, )?pg_temp$/.test(one)),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("functions name the schema of the tables that they read", async () => {
    const { rows: tables } = await owner.query<{ name: string }>(
      "select relname as name from pg_class where relkind in ('r', 'v') and relnamespace in ('public'::regnamespace, 'analytics'::regnamespace)",
    );
    const names = new Set(tables.map(({ name }) => name));
    const { rows } = await owner.query<{ name: string; prosrc: string; proconfig: string[] }>(OUR_FUNCTIONS);
    const unqualified = rows
      .filter(({ proconfig }) => proconfig.includes("search_path=pg_catalog, pg_temp"))
      .flatMap(({ name, prosrc }) =>
        [...prosrc.matchAll(/\b(?:from|join|into|update)\s+([\w.]+)/gi)]
          .map(([, table = ""]) => table)
          .filter((table) => names.has(table))
          .map((table) => `${name}: ${table}`),
      );
    expect(unqualified).toEqual([]);
  });

  test("views read with the rights of the reader, which are those that the views need", async () => {
    const { rows: views } = await owner.query<{ name: string; options: string[] | null }>(
      "select relname as name, reloptions as options from pg_class where relkind = 'v' and relnamespace = 'analytics'::regnamespace",
    );
    expect(views.length).toBeGreaterThan(10);
    for (const { name, options } of views) {
      expect({ name, options }).toEqual({ name, options: ["security_invoker=on"] });
      await reader.query(`select * from analytics.${name} limit 1`);
    }
    const { rows: read } = await owner.query<{ name: string }>(`
      select distinct t.relname as name from pg_depend d join pg_rewrite r on r.oid = d.objid
        join pg_class v on v.oid = r.ev_class join pg_class t on t.oid = d.refobjid
      where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass
        and v.relnamespace in ('analytics'::regnamespace, 'public'::regnamespace) and v.oid <> t.oid
        and t.relkind in ('r', 'v') and t.relnamespace = 'public'::regnamespace`);
    const { rows: granted } = await owner.query<{ name: string }>(`
      select relname as name from pg_class where relkind in ('r', 'p', 'v', 'm', 'S', 'f')
        and relnamespace = 'public'::regnamespace and has_table_privilege('symbol_reader', oid, 'select')`);
    expect(granted.map(({ name }) => name).toSorted()).toEqual(read.map(({ name }) => name).toSorted());
    const { rows: writable } = await owner.query(`
      select relname from pg_class where relkind in ('r', 'v') and relnamespace::regnamespace::text in ('public', 'analytics')
        and has_table_privilege('symbol_reader', oid, 'insert, update, delete, truncate, references, trigger')`);
    expect(writable).toEqual([]);
  });
});

/** What a reader tries in order to get what it may not have; every statement of a line but the last is possible. */
const FORBIDDEN: readonly (readonly [what: string, ...statements: string[]])[] = [
  ["become the owner", "set role OWNER"],
  ["log in as another user within the session", "set session authorization OWNER"],
  ["give itself a role", `grant pg_read_server_files to ${READER_USER}`],
  ["make itself a superuser", `alter role ${READER_USER} superuser`],
  ["create a role", "create role other"],
  ["run a program", "copy (select 1) to program 'cat'"],
  ["write a file", "copy (select 1) to '/tmp/reader-of-views'"],
  ["load a file", "create temporary table lines (line text)", "copy lines from '/etc/hostname'"],
  ["load a file as a large object", "select lo_import('/etc/hostname')"],
  ["save a large object as a file", "select lo_export(lo_create(0), '/tmp/reader-of-views')"],
  ["read a file", "select pg_read_file('postgresql.conf')"],
  ["list a folder", "select pg_ls_dir('.')"],
  ["change the server's settings", "alter system set log_statement = 'none'"],
  ["change a setting of the server in its session", "set session_replication_role = 'replica'"],
  ["load a library", "load '/tmp/library.so'"],
  [
    "create a function of an untrusted language",
    "create function pg_temp.f() returns int language c as '/tmp/library', 'f'",
  ],
  ["create an extension", "create extension file_fdw"],
  ["create something in the schema of the tables", "create table public.own (n int)"],
  [
    "create something in the schema of the views",
    "create function analytics.own() returns int language sql as 'select 1'",
  ],
  ["create a schema", "create schema own"],
  [
    "replace a function",
    "create or replace function analytics.transaction_id(hash text) returns int8 language sql as 'select 1::int8'",
  ],
  ["replace a view", "create or replace view analytics.blocks as select 1 as height"],
  ["write rows", "update public.head set height = 1"],
  ["write through a view", "update analytics.accounts set importance = 1"],
  ["delete rows", "delete from public.blocks"],
  ["lock a table against writers", "begin", "lock table public.head in share mode"],
  ["lock a row", "begin", "select * from public.head for update"],
  ["add a trigger", "create trigger own after insert on public.blocks execute function public.wake_gateways()"],
  ["read webhooks with their secrets", "select * from public.webhooks"],
  ["read announcements", "select * from public.announcements"],
  ["read rejected announcements", "select * from public.rejected_announcements"],
  ["read events", "select * from public.events"],
  ["read passwords", "select rolpassword from pg_authid"],
  ["end a session of another user", "select pg_terminate_backend(PID)"],
];

describe("a reader cannot", () => {
  test.each(FORBIDDEN.map(([what, ...statements]) => [what, statements] as const))("%s", async (_what, texts) => {
    const { rows: own } = await owner.query("select quote_ident(current_user) as name, pg_backend_pid() as pid");
    const statements = texts.map((one) => one.replace("OWNER", own[0].name).replace("PID", own[0].pid));
    const last = statements.at(-1) ?? "";
    for (const statement of statements.slice(0, -1)) await reader.query(statement);
    const outcome = await reader.query(last).then(
      ({ rows }) => rows,
      ({ code }) => code as string,
    );
    await reader.query("rollback");
    await reader.query("discard temporary");
    // insufficient_privilege: also of files that do not exist
    expect(outcome).toBe("42501");
  });
});

describe("temporary objects of a reader", () => {
  const OBJECTS = [
    ["view", (name: string) => `create temporary view ${name} as select *, pg_temp.trap() as trap from public.${name}`],
    ["table", (name: string) => `create temporary table ${name} as select * from public.${name}`],
  ] as const;

  test.each(OBJECTS)(
    "of the kind %s with the names of tables are not read by functions and views",
    async (_kind, make) => {
      await reader.query(TRAP);
      const { rows } = await owner.query<{ name: string }>(
        "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and has_table_privilege('symbol_reader', oid, 'select')",
      );
      for (const { name } of rows) await reader.query(make(name));
      await reader.query("set search_path = pg_temp, public, analytics");
      warnings.length = 0;
      await reader.query("select analytics.height_at(now()), analytics.transaction_id('00')");
      for (const view of ["network", "blocks", "transactions", "daily"])
        await reader.query(`select * from analytics.${view}`);
      expect(warnings).toEqual([]);
      await reader.query("discard all");
    },
  );

  test("with the names of functions, operators and types are not run by functions", async () => {
    await reader.query(TRAP);
    for (const one of [
      "create function pg_temp.ceil(numeric) returns numeric language sql as 'select pg_temp.trap()::numeric'",
      "create function pg_temp.get_byte(bytea, int) returns int language sql as 'select pg_temp.trap()'",
      "create function pg_temp.minus(numeric, int8) returns numeric language sql as 'select pg_temp.trap()::numeric'",
      "create operator pg_temp.- (function = pg_temp.minus, leftarg = numeric, rightarg = int8)",
      "create domain pg_temp.int8 as bool",
    ])
      await reader.query(one);
    await reader.query("set search_path = pg_temp, pg_catalog");
    warnings.length = 0;
    await reader.query(`select analytics.height_at(now()), analytics.address(decode(repeat('00', 24), 'hex'))`);
    expect(warnings).toEqual([]);
    await reader.query("discard all");
  });

  test("run with the rights of the user", async () => {
    await reader.query(TRAP);
    const { rows } = await reader.query<{ is_superuser: string }>(
      "select current_setting('is_superuser') as is_superuser",
    );
    expect(rows).toEqual([{ is_superuser: "off" }]);
    warnings.length = 0;
    await reader.query("select pg_temp.trap()");
    expect(warnings).toEqual([`run by ${READER_USER}`]);
  });
});
