import { mock } from "node:test";
import { afterEach, expect, test } from "@jest/globals";
import { classifyDatabaseFailure, reportDatabaseLost, reportedFailures } from "../../database/outage.js";
import { LogLines } from "../support/log-lines.js";

afterEach(() => mock.restoreAll());

const withCode = (code: string, more = {}) => Object.assign(new Error("failed"), { code, ...more });

test.each([
  ["a wrong password", withCode("28P01"), "rejected"],
  ["a database that does not exist", withCode("3D000"), "rejected"],
  ["an address without a listener", withCode("ECONNREFUSED", { syscall: "connect" }), "lost"],
  ["several addresses without one", new AggregateError([withCode("ECONNREFUSED", { syscall: "connect" })]), "lost"],
  ["a server that is starting", withCode("57P03"), "lost"],
  ["a closed connection", new Error("Connection terminated unexpectedly"), "lost"],
  ["a replaced primary", withCode("25006"), "busy"],
  ["a deadlock", withCode("40P01"), "busy"],
  ["a cancelled statement", withCode("57014"), "busy"],
  ["a right that was revoked", withCode("42501"), "rejected"],
  ["a certificate that has expired", withCode("CERT_HAS_EXPIRED"), "rejected"],
  ["a server without encryption", new Error("The server does not support SSL connections"), "rejected"],
  [
    "a password that is asked for",
    new Error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string"),
    "rejected",
  ],
  ["a full disk", withCode("53100"), "busy"],
  ["no connection left", withCode("53300", { severity: "FATAL" }), "lost"],
  ["a file that a server's process cannot write", withCode("XX000", { severity: "FATAL" }), "lost"],
  ["an input or output error", withCode("58030"), "lost"],
  ["a lock that was not free in time", withCode("55P03"), "busy"],
  ["an internal error", withCode("XX000", { severity: "ERROR" }), undefined],
  ["data that are corrupt", withCode("XX001", { severity: "ERROR" }), undefined],
  ["a violated constraint", withCode("23505"), undefined],
  ["a file that is missing", withCode("ENOENT", { syscall: "open" }), undefined],
  ["no error", "text", undefined],
])("%s", (_, error, failure) => {
  expect(classifyDatabaseFailure(error)).toBe(failure);
});

test("an outage is one line a minute, and what else fails because of it is counted", () => {
  let now = 0;
  mock.method(performance, "now", () => now);
  const { logger, ...log } = withLogger();
  for (; now < 150_000; now += 5_000) reportDatabaseLost(logger, withCode("08006"));
  expect(log.lines()).toHaveLength(3);
  expect(reportedFailures(logger)).toBe(30);
  // After a quiet time, it is another one.
  now += 10_000;
  reportDatabaseLost(logger, withCode("08006"));
  expect(log.lines()).toHaveLength(4);
  expect(reportDatabaseLost(logger, withCode("40P01"))).toBe(false);
});

test("that the database rejects us is a line of its own, and one a minute too", () => {
  let now = 0;
  mock.method(performance, "now", () => now);
  const log = new LogLines();
  for (; now < 50_000; now += 1_000) {
    for (const code of ["08006", "28P01"]) reportDatabaseLost(log.logger, withCode(code));
  }
  expect(log.matching(/"level":50/).map((line) => JSON.parse(line).msg)).toEqual([
    "Database connection lost",
    "The database rejects the connection; waiting until it accepts it",
  ]);
});

function withLogger() {
  const log = new LogLines();
  return { logger: log.logger, lines: () => log.matching(/"level":50.*Database connection lost/) };
}
