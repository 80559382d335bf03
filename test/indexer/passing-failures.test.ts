import { mock } from "node:test";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { NodeError } from "../../catapult/wire/errors.js";
import { Finality } from "../../indexer/chain/finality/finality.js";
import { retryUntil } from "../../indexer/writer.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { publicConfig, TEST_NETWORK } from "../support/main-network.js";

// What passes by itself within a minute is no error in the log.

const MINUTE_MS = 60_000;
let index: IndexedDatabase;

beforeAll(async () => {
  index = await IndexedDatabase.create();
});

afterEach(() => mock.restoreAll());
afterAll(() => index.drop());

const levels = (log: LogLines, message: RegExp) =>
  log.matching(message).map((line) => (JSON.parse(line) as { level: number }).level);
const [WARN, ERROR] = [40, 50];

test("votes for a block that the node leaves soon are a warning, and an error when they last", async () => {
  let now = 0;
  mock.method(performance, "now", () => now);
  const log = new LogLines();
  const finality = new Finality({ db: index.db, config: publicConfig(TEST_NETWORK), log: log.logger });
  const vote = { epoch: 3, point: 1, height: 9, hash: Buffer.alloc(32, 1) };
  const contradiction = { vote, own: { height: 9, hash: Buffer.alloc(32, 2) } };
  const message = /Votes made a block final that is not in the chain/;
  for (; now < MINUTE_MS; now += 7_000) await finality.wrote({ contradiction });
  expect(levels(log, message)).toEqual([WARN]);
  for (; now < 2 * MINUTE_MS; now += 7_000) await finality.wrote({ contradiction });
  expect(levels(log, message)).toEqual([WARN, ERROR]);
});

test("a node that is started again is a warning, and an error when it stays away; a fault of the program is an error at once", async () => {
  let now = 0;
  mock.method(performance, "now", () => now);
  const log = new LogLines();
  const options = { databaseUrl: index.url, log: log.logger, limits: { maxRetryMs: 1 } };
  const message = /Following the node failed; trying again/;
  const attempts = [
    ["away", MINUTE_MS - 1],
    ["away", 1],
    ["away", 0],
    ["well", 0],
    ["away", 0],
    ["wrong", 0],
  ] as const;
  let attempt = 0;
  await retryUntil(new AbortController().signal, options, async (succeeded) => {
    const [what, ms] = attempts[attempt++] ?? [];
    if (what === undefined) return true;
    if (what === "well") {
      succeeded();
      return false;
    }
    // Until the next attempt.
    setImmediate(() => {
      now += ms;
    });
    throw what === "away" ? new NodeError("node", "the connection was closed") : new TypeError("no such thing");
  });
  expect(levels(log, message)).toEqual([WARN, WARN, ERROR, WARN, ERROR]);
});
