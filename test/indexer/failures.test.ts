import { mock } from "node:test";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import {
  ConnectionClosedError,
  NodeError,
  NodeResponseError,
  NodeUnavailableError,
} from "../../catapult/wire/errors.js";
import { Finality } from "../../indexer/chain/finality/finality.js";
import {
  BackfillRangeError,
  ClaimedScoreError,
  FinalizedBlockDroppedError,
  HeadMovedError,
  StoredStateError,
  UnknownNetworkError,
  WrongNetworkError,
} from "../../indexer/chain/step/errors.js";
import { classifyFailure, endsBackfill } from "../../indexer/nodes/failures.js";
import { retryUntil } from "../../indexer/writer.js";
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";

const SEED = Buffer.alloc(32);
let index: IndexedDatabase;

beforeAll(async () => {
  index = await IndexedDatabase.create();
});

afterEach(() => mock.restoreAll());
afterAll(() => index.drop());

/** Of each row of the table: the reason for which the node is to blame, and what holds. */
test.each<[string, unknown, string | undefined, string[]]>([
  ["connection", new ConnectionClosedError("node:7900", "by the node"), undefined, []],
  ["no connection", new NodeUnavailableError([], 0), undefined, []],
  ["answer", new NodeResponseError("node:7900", "blocks", "height", "is wrong"), "answer", []],
  ["network", new WrongNetworkError(null, SEED), "network", ["isForOperator"]],
  ["score", new ClaimedScoreError(2n, 1n, 1_000), "score", []],
  ["final block", new FinalizedBlockDroppedError(7, "is not in the chain"), "finalization", []],
  ["block", new BlockRejectedError(7, "signature", "is wrong"), "block", []],
  ["state", new BlockRejectedError(7, "stateHash", "is wrong"), "state", ["isOfExecution"]],
  ["receipts", new BlockRejectedError(7, "receiptsHash", "is wrong"), "receipts", ["isOfExecution"]],
  [
    "proof",
    new FinalizationProofError({ epoch: 3, point: 1, height: 7 }, "hash", "is wrong"),
    "finalization",
    ["mayComeFromState"],
  ],
  ["rules", new UnknownNetworkError(SEED), undefined, ["isOfExecution", "isForOperator"]],
  [
    "stored state",
    new StoredStateError(7, ["account"]),
    undefined,
    ["mayComeFromState", "isOfExecution", "isForOperator"],
  ],
  ["range", new BackfillRangeError("is wrong"), undefined, ["isForOperator"]],
  ["lost database", new Error("Connection terminated unexpectedly"), undefined, []],
  ["moved head", new HeadMovedError("moved"), undefined, ["mayComeFromState"]],
  ["engine", new RangeError("cannot roll back to 3"), undefined, ["mayComeFromState"]],
  ["program", new TypeError("undefined is not a function"), undefined, ["mayComeFromState"]],
])("of a failure of the %s, the right one is blamed", (_, error, reason, holds) => {
  const { fault, ...rest } = classifyFailure(error, "node:7900");
  const found = Object.entries(rest).flatMap(([name, value]) => (value ? [name] : []));
  expect({ reason: fault?.reason, holds: found.sort() }).toEqual({ reason, holds: [...holds].sort() });
});

test("an outage of the database is none of the state's, a violated rule may be", async () => {
  const failureOfStatement = (statement: string) =>
    sql
      .raw(statement)
      .execute(index.db)
      .catch((error: unknown) => classifyFailure(error).mayComeFromState);
  expect(await failureOfStatement("insert into blocks default values")).toBe(true);
  expect(await failureOfStatement("select pg_terminate_backend(pg_backend_pid())")).toBe(false);
});

test("a backfill tries again what another attempt may cure, and ends for the rest", () => {
  const rejected = (height: number) => new BlockRejectedError(height, "stateHash", "is wrong");
  const lost = new ConnectionClosedError("node:7900", "by the node");
  expect(endsBackfill(new UnknownNetworkError(SEED), [])).toBe(true);
  expect(endsBackfill(rejected(7), [])).toBe(false);
  expect(endsBackfill(rejected(7), [rejected(6)])).toBe(false);
  expect(endsBackfill(rejected(7), [rejected(7)])).toBe(true);
  expect(endsBackfill(lost, Array(8).fill(lost))).toBe(false);
  expect(endsBackfill(lost, Array(9).fill(lost))).toBe(true);
});

// What passes by itself within a minute is no error in the log.

const MINUTE_MS = 60_000;
const levels = (log: LogLines, message: RegExp) =>
  log.matching(message).map((line) => (JSON.parse(line) as { level: number }).level);
const [WARN, ERROR] = [40, 50];

test("votes for a block that the node leaves soon are a warning, and an error when they last", async () => {
  let now = 0;
  mock.method(performance, "now", () => now);
  const log = new LogLines();
  const finality = new Finality({ db: index.db, log: log.logger });
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
