import { EventEmitter } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type IdentifierNode, OperationNodeTransformer, sql } from "kysely";
import { StatementNames } from "../../database/binary/client.js";
import { readRows } from "../../database/binary/driver.js";
import { MessageSplitter } from "../../database/binary/read-query.js";
import {
  bool,
  bytea,
  type Columns,
  int2,
  int4,
  int8,
  nullable,
  numeric,
  RowType,
  text,
} from "../../database/binary/rows.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { batchReads, forOperation, ListValue, Statement } from "../../database/statement.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, poolSize: 1, onError: () => undefined });
});

afterAll(async () => {
  await db?.destroy();
  await database?.drop();
});

describe("the messages of a server", () => {
  const message = (code: string, content: string): Buffer => {
    const bytes = Buffer.alloc(5 + content.length);
    bytes.write(code);
    bytes.writeUInt32BE(4 + content.length, 1);
    bytes.write(content, 5);
    return bytes;
  };
  const stream = Buffer.concat([
    message("S", "setting"),
    message("2", ""),
    message("D", "first row"),
    message("N", "notice"),
    message("D", "x".repeat(300)),
    message("C", "SELECT 2\0"),
    message("Z", "I"),
  ]);

  test("are split between a read and the driver, wherever the bytes are cut", () => {
    for (let size = 1; size <= stream.length; ++size) {
      const driver = new EventEmitter();
      const seen: string[] = [];
      driver.on("data", (bytes: Buffer) => seen.push(`driver ${bytes.toString("latin1")}`));
      const splitter = new MessageSplitter(driver);
      splitter.taker = {
        take: (code, bytes, start, end) =>
          seen.push(`read ${String.fromCharCode(code)} ${bytes.toString("latin1", start, end)}`),
      };
      for (let at = 0; at < stream.length; at += size) splitter.push(stream.subarray(at, at + size));
      expect(seen).toEqual([
        `driver ${message("S", "setting").toString("latin1")}`,
        "read 2 ",
        "read D first row",
        `driver ${message("N", "notice").toString("latin1")}`,
        `read D ${"x".repeat(300)}`,
        "read C SELECT 2\0",
        `driver ${message("Z", "I").toString("latin1")}`,
      ]);
    }
  });

  test("all go to the driver while there is no read, in whole messages", () => {
    const driver = new EventEmitter();
    const seen: Buffer[] = [];
    driver.on("data", (bytes: Buffer) => seen.push(bytes));
    const splitter = new MessageSplitter(driver);
    for (const byte of stream) splitter.push(Buffer.of(byte));
    expect(Buffer.concat(seen)).toEqual(stream);
    expect(seen).toHaveLength(7);
  });
});

class RenamedTables extends OperationNodeTransformer {
  protected override transformIdentifier(node: IdentifierNode): IdentifierNode {
    return { ...node, name: node.name === "missing" ? "present" : node.name };
  }
}

describe("a read", () => {
  const ONE = new RowType({ one: int4 });
  const one = async (on: Db) => (await readRows(on, ONE, sql`select ${1}::int4`)).map((row) => row.one);

  test("passes values of every kind, and returns them by name, prepared or not", async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const lists = [
      [1n, 2n ** 62n],
      [all, Buffer.alloc(0)],
    ] as const;
    const row = new RowType({
      bytes: bytea,
      text,
      ...{ small: int2, integer: int4, safe: int8, large: int8, none: nullable(int8), yes: bool, no: bool },
      ...{ zero: numeric, long: numeric, round: numeric, below: numeric },
      ...{ second: int8, listed: bytea, count: int4 },
    });
    const statement = sql`select ${all}::bytea, ${"grüß Gott"}::text, ${-7}::int2, ${-5}::int4, ${2n ** 40n}::int8,
      ${-(2n ** 62n)}::int8, ${null}::int8, ${true}::bool, ${false}::bool, 0::numeric,
      123456789012345678901234567890::numeric, ${10n ** 20n}::numeric, ${-70_000}::numeric,
      (${lists[0]}::int8[])[2], (${lists[1]}::bytea[])[1], cardinality(${lists[1]}::bytea[])`;
    for (let time = 0; time < 4; ++time) {
      const rows = await readRows(db, row, statement);
      const found = Object.fromEntries(Object.keys(row.columns).map((name) => [name, rows[0]?.[name as "text"]]));
      expect([rows.length, found]).toEqual([
        1,
        {
          ...{ bytes: all, text: "grüß Gott", small: -7, integer: -5, safe: 2 ** 40, large: -(2n ** 62n), none: null },
          ...{ yes: true, no: false, zero: 0n, long: 123456789012345678901234567890n, round: 10n ** 20n },
          ...{ below: -70_000n, second: 2n ** 62n, listed: all, count: 2 },
        },
      ]);
    }
  });

  test("rejects rows that are not as declared", async () => {
    const read = (columns: Columns) => readRows(db, new RowType(columns), sql`select ${1}::int4 as a, null::text as b`);
    await expect(read({ a: int4 })).rejects.toThrow("a row has 2 columns, not a");
    await expect(read({ a: int8, b: text })).rejects.toThrow("the column a has 4 bytes, which is no int8");
    const [row] = await read({ a: int4, b: text });
    expect(() => row?.b).toThrow("the column b is null");
    expect(await one(db)).toEqual([1]);
  });

  test("returns rows that are larger than what is received at once, in order, and none", async () => {
    const count = 300;
    const row = new RowType({ n: int4, text: bytea });
    const statement = (rows: number) =>
      sql`select n::int4, convert_to(repeat('x', n * 100), 'UTF8') from generate_series(1, ${rows}::int4) n`;
    const rows = await readRows(db, row, statement(count));
    expect(rows.map(({ n, text }) => [n, text.length])).toEqual(
      Array.from({ length: count }, (_, index) => [index + 1, 100 * (index + 1)]),
    );
    expect(await readRows(db, row, statement(0))).toEqual([]);
  });

  test("that fails leaves the connection to the next one, and to statements of the query builder", async () => {
    const divided = (by: number) => sql`select (1 / ${by}::int4)::int4`;
    for (let time = 0; time < 4; ++time) {
      await expect(readRows(db, ONE, divided(0))).rejects.toThrow("division by zero");
      await expect(readRows(db, ONE, sql`select ${1}::int4 from nowhere`)).rejects.toThrow("nowhere");
      expect((await readRows(db, ONE, divided(1)))[0]?.one).toBe(1);
      expect((await sql<{ one: number }>`select ${1}::int4 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
    }
  });

  test("sees what its transaction wrote, which other connections do not", async () => {
    const other = openDatabase({ url: database.url, poolSize: 1 });
    await sql`create table written (number int4)`.execute(db);
    const row = new RowType({ number: int4 });
    const read = async (on: Db) =>
      (await readRows(on, row, sql`select number from written where number > ${0}`)).map(({ number }) => number);
    await expect(
      db.transaction().execute(async (trx) => {
        await sql`insert into written values (${5})`.execute(trx);
        expect([await read(trx), await read(other)]).toEqual([[5], []]);
        await readRows(trx, row, sql`select 1 / ${0}::int4`);
      }),
    ).rejects.toThrow("division by zero");
    expect(await read(db)).toEqual([]);
    await other.destroy();
  });

  test("is seen by plugins, which may change it, and by the watch of an operation", async () => {
    const renamed = db.withPlugin({
      transformQuery: ({ node }) => new RenamedTables().transformNode(node),
      transformResult: async ({ result }) => result,
    });
    const row = new RowType({ n: int4 });
    const select = (least: unknown) => sql`select n::int4 from ${sql.table("missing")} where n >= ${least}::int4`;
    await expect(readRows(db, row, select(1))).rejects.toThrow('"missing" does not exist');
    await sql`create table present as select generate_series(1, 3) as n`.execute(db);
    const kept = new Statement<number, typeof row.columns>(row, select);
    for (const found of [readRows(renamed, row, select(2)), kept.read(renamed, 2)])
      expect((await found).map(({ n }) => n)).toEqual([2, 3]);
    const seen: unknown[] = [];
    const watch = { onStatement: () => void seen.push("statement"), onRows: (count: number) => void seen.push(count) };
    expect(await one(forOperation(db, watch))).toEqual([1]);
    expect(seen).toEqual(["statement", 1]);
  });

  test("kept statements of one moment that differ in their values are one, and each gets its own rows in their order", async () => {
    let statements = 0;
    const own = db.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    batchReads(own);
    const row = new RowType({ n: int8, key: bytea });
    const multiples = new Statement<{ of: number; key: Buffer }, typeof row.columns>(row, (args) => {
      const numbers = sql`select n * ${args.of}::int8 as n, ${args.key}::bytea as key from generate_series(1, 3) n`;
      return sql`select n, key from (${numbers}) m order by n desc limit ${args.of}::int8`;
    });
    const asked = [3, 1, 2, 3].map((of) => ({ of, key: Buffer.of(of) }));
    const ask = (from: Db) =>
      Promise.all(asked.map(async (args) => (await multiples.read(from, args)).map(({ n, key }) => ({ n, key }))));
    const each = await ask(db);
    expect(each[0]).toEqual([9, 6, 3].map((n) => ({ n, key: Buffer.of(3) })));
    expect(await ask(own)).toEqual(each);
    expect(statements).toBe(1);
    await expect(multiples.read(own, { of: -1, key: Buffer.of(1) })).rejects.toThrow("LIMIT must not be negative");
  });
});

interface Arguments {
  readonly count: number;
  readonly bytes?: Buffer | undefined;
  readonly numbers: readonly number[];
  readonly all?: ListValue;
  readonly isReversed: boolean;
  readonly order: "asc" | "desc";
}

const ROW = new RowType({ number: int4, rest: text });

describe("a statement", () => {
  let built = 0;

  const statement = new Statement<Arguments, typeof ROW.columns>(ROW, (args) => {
    built++;
    const { count, bytes, numbers, all, isReversed, order } = args;
    const extra = bytes ? sql`encode(${bytes}::bytea, 'hex')` : sql`'none'`;
    const listed = all ? sql`n = any(${all}::int4[])` : sql`true`;
    return sql`select n::int4 as number, ${extra} || ${sql.lit(String(isReversed))} as rest
      from generate_series(1, ${count}::int4) n where n in (${sql.join(numbers)}) and ${listed}
      order by n ${sql.raw(order)}`;
  });

  const read = async (args: Arguments) => (await statement.read(db, args)).map(({ number, rest }) => [number, rest]);

  test("is built once for each shape, with the values of each call", async () => {
    const args = { count: 9, numbers: [2, 4], isReversed: false, order: "asc" } as const;
    expect(await read(args)).toEqual([
      [2, "nonefalse"],
      [4, "nonefalse"],
    ]);
    expect(built).toBe(1);
    expect(await read({ ...args, count: 3, numbers: [7, 3], bytes: undefined })).toEqual([[3, "nonefalse"]]);
    expect(built).toBe(1);
    // A text, a boolean, the length of a list and a missing member are the shape; the length of a `ListValue` is not.
    const others: [Partial<Arguments>, unknown[]][] = [
      [{ order: "desc" }, [4, 2]],
      [{ isReversed: true }, [2, 4]],
      [{ numbers: [1, 2, 3] }, [1, 2, 3]],
      [{ bytes: Buffer.of(7) }, [2, 4]],
      [{ all: new ListValue([4, 5]) }, [4]],
    ];
    for (const [place, [other, found]] of others.entries()) {
      expect((await read({ ...args, ...other })).map(([number]) => number)).toEqual(found);
      expect(built).toBe(2 + place);
    }
    expect(await read({ ...args, all: new ListValue([2]) })).toHaveLength(1);
    expect(built).toBe(2 + others.length - 1);
    expect((await read({ ...args, bytes: Buffer.of(0xab) }))[0]).toEqual([2, "abfalse"]);
  });
});

const textOf = (number: number) => `select ${number} where 1 = $1`;

test("a text is prepared when it is repeated, under a name of its own", () => {
  const names = new StatementNames();
  expect(names.of(textOf(1))).toBeUndefined();
  const name = names.of(textOf(1));
  expect(name).toMatch(/^[\w-]{43}$/);
  expect(names.of(textOf(1))).toBe(name);
  names.of(textOf(2));
  expect(names.of(textOf(2))).not.toBe(name);
});

test("texts that select all columns, write several rows or are very long are not prepared", () => {
  const names = new StatementNames();
  const texts = ["select * from a where b = $1", "insert into a values ($1), ($2)", `select ${"x".repeat(6_000)} = $1`];
  for (const one of [...texts, ...texts, ...texts]) expect(names.of(one)).toBeUndefined();
});

test("texts used once take no place of others; the number of prepared ones is limited", () => {
  const names = new StatementNames();
  for (let number = 1_000; number < 9_000; number++) expect(names.of(textOf(number))).toBeUndefined();
  names.of(textOf(3));
  expect(names.of(textOf(3))).toBeDefined();
  const given = Array.from(
    { length: 1_000 },
    (_, index) => [100_000 + index, 100_000 + index].map((n) => names.of(textOf(n)))[1],
  );
  expect(given.filter((name) => name !== undefined).length).toBeLessThanOrEqual(200);
  expect(names.of(textOf(3))).toBeDefined();
});
