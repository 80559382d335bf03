import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { int4, RowType, text } from "../../database/binary/rows.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { ListValue, Statement } from "../../database/statement.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

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
  let database: TestDatabase;
  let db: Db;
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

  beforeAll(async () => {
    database = await createTestDatabase();
    db = openDatabase({ url: database.url, poolSize: 1 });
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
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
