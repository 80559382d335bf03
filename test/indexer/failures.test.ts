import { expect, test } from "@jest/globals";
import { sql } from "kysely";
import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import { ConnectionClosedError, NodeResponseError, NodeUnavailableError } from "../../catapult/wire/errors.js";
import { openDatabase } from "../../database/connection.js";
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
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import { createMigratedDatabase } from "../support/database.js";

const SEED = Buffer.alloc(32);

/** Of each row of the table: the reason for which the node is to blame, and what holds. */
test.each<[string, unknown, string | undefined, string[]]>([
  ["connection", new ConnectionClosedError("node:7900", "by the node"), undefined, []],
  ["no connection", new NodeUnavailableError([], 0), undefined, []],
  ["answer", new NodeResponseError("node:7900", "blocks", "height", "is wrong"), "answer", []],
  ["network", new WrongNetworkError(null, SEED), "network", ["isForOperator"]],
  ["score", new ClaimedScoreError(2n, 1n, 1_000), "score", []],
  ["final block", new FinalizedBlockDroppedError(7), "finalization", []],
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
  const { url, drop } = await createMigratedDatabase();
  const db = openDatabase({ url, poolSize: 1, onError: () => undefined });
  try {
    const failureOfStatement = (statement: string) =>
      sql
        .raw(statement)
        .execute(db)
        .catch((error: unknown) => classifyFailure(error).mayComeFromState);
    expect(await failureOfStatement("insert into blocks default values")).toBe(true);
    expect(await failureOfStatement("select pg_terminate_backend(pg_backend_pid())")).toBe(false);
  } finally {
    await db.destroy();
    await drop();
  }
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
