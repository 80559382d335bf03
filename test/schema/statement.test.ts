import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { int4, RowType } from "../../database/binary/rows.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { forOperation, Statement } from "../../database/statement.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

const ROW = new RowType({ number: int4 });
const slow = new Statement<number, typeof ROW.columns>(
  ROW,
  (n) => sql`select ${n}::int4 as number from pg_sleep(0.01)`,
);

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, poolSize: 10 });
});

afterAll(async () => {
  await db?.destroy();
  await database?.drop();
});

test("a statement of an operation waits while three others of it run", async () => {
  let [running, most] = [0, 0];
  const watch = {
    onStatement: () => {
      running += 1;
      most = Math.max(most, running);
    },
    onRows: () => {
      running -= 1;
    },
  };
  const own = forOperation(db, watch);
  const found = await Promise.all(Array.from({ length: 20 }, (_, n) => slow.read(own, n)));
  expect(found.map(([row]) => row?.number)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect({ running, most }).toEqual({ running: 0, most: 3 });
});
