import path from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { DevnetFixture } from "../support/devnet.js";
import { freePort } from "../support/free-port.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { startProcess } from "../support/process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const BLOCKS = 10;
let devnet: DevnetFixture;
let index: IndexedDatabase;
/** Of the node. */
let node: string;
const folder = temporaryFolder(async () => {
  await index?.drop();
  await devnet?.stop();
});

beforeAll(async () => {
  devnet = await DevnetFixture.start();
  await devnet.devnet.harvest(BLOCKS - devnet.devnet.height);
  node = `127.0.0.1:${devnet.devnet.port}`;
  index = await IndexedDatabase.create();
  await index.follow(devnet.devnet);
  await index.waitForHash(devnet.devnet.block(BLOCKS).hash);
  await index.stop();
});

const run = (...args: string[]) => runWith({ CATAPULT_RESOURCES: devnet.devnet.resourcesDirectory }, ...args);

async function runWith(rules: { readonly CATAPULT_RESOURCES?: string }, ...args: string[]) {
  const env = {
    ...rules,
    DATABASE_URL: index.url,
    CATAPULT_NODES: node,
    CATAPULT_TLS_DIR: path.join(folder, "tls"),
    LOG_LEVEL: "warn",
  };
  const program = startProcess(["check", ...args], { cwd: folder, env });
  const { code } = await program.exited;
  return { code, output: program.output };
}

test("exits with 0 without a difference, with 1 and the place of one, with 2 for a node of another network", async () => {
  const good = await run();
  expect(good).toEqual({ code: 0, output: expect.stringMatching(/^Checked .*\b10 blocks\b.*\nNo differences\.\n$/) });

  await sql`update blocks set header_size = header_size + 1 where height = 7`.execute(index.db);
  const bad = await run();
  expect(bad.code).toBe(1);
  expect(bad.output).toMatch(/^blocks height=7 header_size: is \d+, not \d+\nChecked .*\nDifferences: 1\.\n$/);
  expect(await run("--from", "8", "--offline")).toMatchObject({ code: 0 });

  const unknown = {
    code: 2,
    output: expect.stringMatching(/^The rules of the network [^\n]* set CATAPULT_RESOURCES [^\n]*\n$/),
  };
  expect(await runWith({}, "--offline")).toEqual(unknown);

  await sql`update head set generation_hash_seed = ${Buffer.alloc(32, 7)}`.execute(index.db);
  const other = { code: 2, output: expect.stringMatching(/^The database holds the network with [^\n]*\n$/) };
  expect(await run()).toEqual(other);

  node = `127.0.0.1:${await freePort()}`;
  const alone = { code: 1, output: expect.stringMatching(/\nNo node can be reached: [^\n]*\n$/) };
  expect(await run()).toEqual(alone);
});
