import { EventEmitter } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { readRows } from "../../database/lists/operation-db.js";
import { MessageSplitter } from "../../database/message-splitter.js";
import { bytesAt, integerAt, nextStart, type Rows } from "../../database/rows.js";
import { sql } from "../../database/sql.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

/** The values of all columns of a row. */
function valuesOf(rows: Rows, columns: number): (Buffer | undefined)[][] {
  return rows.map((bytes, start) => {
    const values: (Buffer | undefined)[] = [];
    for (let at = start; values.length < columns; at = nextStart(bytes, at)) values.push(bytesAt(bytes, at));
    return values;
  });
}

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

describe("a read", () => {
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

  test("passes values of every kind, and returns bytes as they are, prepared or not", async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const lists = [
      [1n, 2n ** 62n],
      [all, Buffer.alloc(0)],
    ] as const;
    const statement = sql`select ${all}::bytea, ${"grüß Gott"}::text, ${-5}::int4, ${2n ** 40n}::int8, ${null}::int8,
      ${true}::bool::int4, (${lists[0]}::int8[])[2], (${lists[1]}::bytea[])[1], cardinality(${lists[1]}::bytea[])`;
    for (let time = 0; time < 4; ++time) {
      const rows = await readRows(db, statement);
      const [[bytes, text, , , none, , , listed]] = valuesOf(rows, 9) as [(Buffer | undefined)[]];
      expect([bytes, text?.toString(), none, listed]).toEqual([all, "grüß Gott", undefined, all]);
      const integer = (column: number) => integerAt(rows.bytes(0), rows.start(0, column));
      expect([2, 3, 4, 5, 6, 8].map(integer)).toEqual([-5, 2 ** 40, undefined, 1, 2 ** 62, 2]);
    }
  });

  test("returns rows that are larger than what is received at once, in order, and none", async () => {
    const count = 300;
    const statement = (rows: number) =>
      sql`select n::int4, convert_to(repeat('x', n * 100), 'UTF8') from generate_series(1, ${rows}::int4) n`;
    const values = valuesOf(await readRows(db, statement(count)), 2);
    expect(values.map(([n, text]) => [n?.readInt32BE(), text?.length])).toEqual(
      Array.from({ length: count }, (_, index) => [index + 1, 100 * (index + 1)]),
    );
    expect((await readRows(db, statement(0))).length).toBe(0);
  });

  test("that fails leaves the connection to the next one, and to statements of the query builder", async () => {
    const divided = (by: number) => sql`select (1 / ${by}::int4)::int4`;
    for (let time = 0; time < 4; ++time) {
      await expect(readRows(db, divided(0))).rejects.toThrow("division by zero");
      await expect(readRows(db, sql`select ${1}::int4 from nowhere`)).rejects.toThrow("nowhere");
      expect(valuesOf(await readRows(db, divided(1)), 1)).toEqual([[Buffer.of(0, 0, 0, 1)]]);
      expect((await sql<{ one: number }>`select ${1}::int4 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
    }
  });

  test("is rejected when its connection is lost; later ones get another", async () => {
    const lost = readRows(db, sql`select pg_terminate_backend(pg_backend_pid()), pg_sleep(${10})`);
    await expect(lost).rejects.toThrow();
    expect((await readRows(db, sql`select ${1}::int4`)).length).toBe(1);
  });
});
