import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { TestDatabase } from "../support/database.js";
import { FilesRun, printFiles } from "../support/files-run.js";
import { INSPECTED } from "../support/inspector.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { chainOf, createChainDatabase } from "../support/served-chain.js";

/** More files of ours than this in the way of one request are hard to hold in the head. */
const MAX_FILES = 36;
const MAX_FILES_CACHED = 10;
const PATH = "/blocks?pageSize=10";

let folder: string;
let database: TestDatabase;
let program: TestProcess;
let url: string;
let run: FilesRun;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-path-"));
  database = await createChainDatabase(chainOf(60));
  program = startProcess(["gateway"], {
    env: { DATABASE_URL: database.url, DATA_DIR: folder, HOST: "127.0.0.1", PORT: "0", ...INSPECTED },
    cwd: folder,
  });
  const line = await program.waitFor(/"port":\d+,"msg":"[^"]*listen/i);
  url = `http://127.0.0.1:${/\d+/.exec(line)![0]}`;
  // What happens once in a process is not the way of a request.
  for (const other of [11, 12, 13]) await ask(`/blocks?pageSize=${other}`);
  run = await FilesRun.of(program);
});

afterAll(async () => {
  run?.close();
  await program?.kill();
  await database?.drop();
  if (folder) rmSync(folder, { recursive: true });
});

async function ask(asked: string): Promise<void> {
  const response = await fetch(url + asked);
  await response.text();
  expect(response.status).toBe(200);
}

// Ten of them read the database, which goes past the driver (database/binary).
test(`a request whose response is not cached runs through at most ${MAX_FILES} files`, async () => {
  // What was requested before may be kept.
  const files = await run.during((n) => ask(`/blocks?pageSize=${14 + n}`));
  printFiles("GET /blocks", files);
  expect(files.length).toBeLessThanOrEqual(MAX_FILES);
});

test(`a request whose response is cached runs through at most ${MAX_FILES_CACHED} files`, async () => {
  // Only what is requested repeatedly is kept.
  for (let n = 0; n < 2; n++) await ask(PATH);
  const files = await run.during(() => ask(PATH));
  printFiles(`GET ${PATH}, kept`, files);
  expect(files.length).toBeLessThanOrEqual(MAX_FILES_CACHED);
});
