import { beforeAll, expect, test } from "@jest/globals";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { startProcess } from "../support/process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

let database: TestDatabase;
const folder = temporaryFolder(() => database?.drop());

beforeAll(async () => {
  database = await createMigratedDatabase();
});

test("npm start with a node that cannot be reached says that it waits for it, without an error", async () => {
  const CATAPULT_NODES = "no-such-node.invalid:7900";
  const env = { DATABASE_URL: database.url, DATA_DIR: folder, HOST: "127.0.0.1", PORT: "0", CATAPULT_NODES };
  const dev = startProcess(["dev"], { cwd: folder, env });
  await dev.waitFor("symbol-gateway is waiting for a node: no-such-node.invalid does not resolve.");
  await dev.waitFor(/"name":"indexer".*"msg":"no node can be reached"/);
  await dev.waitFor("Stop with Ctrl-C.");
  const { code } = await dev.kill("SIGTERM");
  expect(dev.output).not.toMatch(/is ready|"level":50|"stack"/);
  expect(code).toBe(0);
});
