import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { forOperation } from "../../database/lists/operation-db.js";
import { ChainTag } from "../../schema/services/chain-tag.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";

let database: TestDatabase;
let db: Db;
let statements = 0;
let onStatement = () => undefined as unknown;

beforeAll(async () => {
  database = await createMigratedDatabase();
  db = openDatabase({ url: database.url, poolSize: 2, statementTimeoutMs: 0 });
});
afterAll(async () => {
  await db?.destroy();
  await database?.drop();
});

const watched = () =>
  forOperation(db, {
    onStatement: () => {
      statements += 1;
      onStatement();
    },
    onRows: () => undefined,
  });

test("requests that arrive together, or during a read, share one read that begins after them", async () => {
  const tag = new ChainTag(watched(), "1");
  await tag.current(false);
  statements = 0;
  let late: Promise<unknown>[] = [];
  onStatement = () => {
    // While the first read is in progress.
    if (statements > 1) return;
    queueMicrotask(() => {
      late = Array.from({ length: 5 }, () => tag.current(false));
    });
  };
  await Promise.all(Array.from({ length: 5 }, () => tag.current(false)));
  await Promise.all(late);
  expect(late).toHaveLength(5);
  expect(statements).toBe(2);
  await tag.current(false);
  expect(statements).toBe(3);
  onStatement = () => undefined;
});

test("a read that fails takes those with it that wait for the next one; later ones read again", async () => {
  const tag = new ChainTag(watched(), "1");
  statements = 0;
  const outcomes: string[] = [];
  const note = (name: string, result: Promise<unknown>) =>
    result.then(
      () => outcomes.push(`${name} read`),
      () => outcomes.push(`${name} failed`),
    );
  let late: Promise<unknown> | undefined;
  onStatement = () => {
    if (statements > 1) return;
    queueMicrotask(() => {
      late = note("second", tag.current(false));
    });
    throw new Error("the database is silent");
  };
  await note("first", tag.current(false));
  await late;
  expect(statements).toBe(1);
  await note("third", tag.current(false));
  expect(outcomes.sort()).toEqual(["first failed", "second failed", "third read"]);
  onStatement = () => undefined;
});
