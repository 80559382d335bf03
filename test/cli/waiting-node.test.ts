import { beforeAll, describe, expect, test } from "@jest/globals";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { DevnetFixture } from "../support/devnet.js";
import { startProcess } from "../support/process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

let database: TestDatabase;
const folder = temporaryFolder(() => database?.drop());

beforeAll(async () => {
  database = await createMigratedDatabase();
});

const startDev = (CATAPULT_NODES: string) =>
  startProcess(["dev"], {
    cwd: folder,
    env: { DATABASE_URL: database.url, DATA_DIR: folder, HOST: "127.0.0.1", PORT: "0", CATAPULT_NODES },
  });

describe("npm start with nodes", () => {
  test("that cannot be reached says that it waits for them, without an error", async () => {
    const dev = startDev("no-such-node.invalid:7900");
    await dev.waitFor("symbol-gateway is waiting for a node: no-such-node.invalid does not resolve.");
    await dev.waitFor(/"name":"indexer".*"msg":"no node can be reached"/);
    await dev.waitFor("Stop with Ctrl-C.");
    const { code } = await dev.kill("SIGTERM");
    expect(dev.output).not.toMatch(/is ready|"level":50|"stack"/);
    expect(code).toBe(0);
  });

  test("of a network whose rules are unknown ends with exit code 2, as its indexer does", async () => {
    const node = await DevnetFixture.start();
    try {
      const dev = startDev(`127.0.0.1:${node.devnet.port}`);
      expect(await dev.exited).toMatchObject({ code: 2 });
      expect(dev.output).toMatch(/The rules of the network .* are unknown: set CATAPULT_RESOURCES/);
      expect(dev.output).toMatch(/indexer cannot run with these settings: see its message above\./);
      expect(dev.output).not.toMatch(/is restarted/);
    } finally {
      await node.stop();
    }
  });
});
