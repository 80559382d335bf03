import { expect, test } from "@jest/globals";
import { productFiles } from "./import-graph.js";
import { read } from "./tree.js";

/** The only folder that goes past the driver. */
const BINARY = "database/binary/";

/** Members of `pg` that are not in its documentation, and packages that are parts of it. */
const PRIVATE =
  /\.(?:connection\.stream|readyForQuery|parsedStatements|submittedNamedStatements|attachListeners|activeQuery|_activeQuery|queryQueue|_queryQueue|sentQueryQueue|_connected|_connecting|_ending|_queryable|_clients|_idle|_pendingQueue|processID|secretKey|connectionParameters|handleRowDescription|handleDataRow|handleReadyForQuery)\b|\bpg\/lib|\bpg-(?:protocol|pool|types|connection-string)\b|\bpg\.Query\b|\bSubmittable\b/;

test("only database/binary/ uses what the driver does not document", () => {
  const using = productFiles().filter((file) => PRIVATE.test(read(file)));
  expect(using.some((file) => file.startsWith(BINARY))).toBe(true);
  expect(using.filter((file) => !file.startsWith(BINARY))).toEqual([]);
});

test("only database/binary/ reads lengths and positions of the binary form", () => {
  const using = productFiles().filter((file) => /\b(?:LENGTH_SIZE|PGCOPY)\b/.test(read(file)));
  expect(using.length).toBeGreaterThan(1);
  expect(using.filter((file) => !file.startsWith(BINARY))).toEqual([]);
});
