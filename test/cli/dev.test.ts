import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { pino } from "pino";
import { startPostgres } from "../../cli/postgres/embedded-postgres.js";
import { readRunningSettings } from "../../cli/settings/running-settings.js";
import { freePort } from "../support/free-port.js";
import { isAlive, startProcess, type TestProcess, waitForEnd } from "../support/process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.js";

let dev: TestProcess;
const dataDirectory = temporaryFolder(async () => {
  await dev?.kill("SIGKILL");
  for (const pid of Object.values(pids())) await waitForEnd(pid);
});

async function startDev(): Promise<void> {
  dev = startProcess(["dev"], {
    env: {
      DATA_DIR: dataDirectory,
      HOST: "127.0.0.1",
      PORT: "0",
      DEVNET_BLOCK_MS: "200",
    },
  });
  await dev.waitFor("Stop with Ctrl-C.");
}

async function run(args: string[], env: Record<string, string> = {}): Promise<{ code: number | null; output: string }> {
  const program = startProcess(args, { env });
  const { code } = await program.exited;
  return { code, output: program.output };
}

/** The newest process id of each part, from their logs and PostgreSQL's lock file. */
function pids(): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [, pid, name] of dev.output.matchAll(/"pid":(\d+),"hostname":"[^"]*","name":"(\w+)"/g)) {
    found[name!] = Number(pid);
  }
  const postgres = postgresPid();
  return postgres ? { ...found, postgres } : found;
}

function runningFile(): string {
  return path.join(dataDirectory, "running.json");
}

function postgresPid(): number | undefined {
  try {
    return Number(
      readFileSync(path.join(dataDirectory, "postgres", "cluster", "postmaster.pid"), "utf8").split("\n")[0],
    );
  } catch {
    return undefined;
  }
}

/** Waits until the gateway serves a chain of at least this height. */
async function servedHeight(atLeast: number): Promise<number> {
  const [, base] = /REST +(http:\S+)/.exec(dev.output)!;
  let height = 0;
  await until(
    async () => {
      const answer = await fetch(`${base}chain/info`).catch(() => undefined);
      height = Number(((await answer?.json()) as { height?: string } | undefined)?.height ?? 0);
      return height >= atLeast;
    },
    () => `height ${atLeast} is served. The program wrote:\n${dev.output}`,
  );
  return height;
}

let heightBefore = 0;

test("dev runs everything and prints the addresses", async () => {
  await startDev();
  for (const line of [/REST +http:\/\/127\.0\.0\.1:\d+\//, /GraphiQL +http:.*\/graphql/, /WebSocket +ws:.*\/ws/]) {
    expect(dev.output).toMatch(line);
  }
  expect(dev.output).toMatch(/Node +127\.0\.0\.1:\d+ \(the devnet; ZeroMQ at tcp:\/\/127\.0\.0\.1:\d+\)/);
  expect(dev.output).toMatch(/Database +postgres:\/\/postgres:\*\*\*@127\.0\.0\.1:\d+\/symbol_gateway/);
  expect(dev.output).toMatch(/alice +T[A-Z2-7]{38} {2}[\d,]+\n +public +[0-9A-F]{64}\n +private +[0-9A-F]{64}\n/);
  const password = readFileSync(path.join(dataDirectory, "postgres", "password"), "utf8");
  expect(dev.output).not.toContain(password);
  heightBefore = await servedHeight(3);
  const [, graphiql = ""] = /GraphiQL +(http:\S+)/.exec(dev.output)!;
  const asked = `${graphiql}?query={chain{height}}`;
  expect((await fetch(asked)).status).toBe(200);
  expect((await fetch(asked, { headers: { "x-forwarded-for": "203.0.113.7" } })).status).toBe(403);
});

test("a second one on the same data says what runs already, where, and what to do", async () => {
  const [, url] = /REST +(\S+)/.exec(dev.output) ?? [];
  const { code, output } = await run(["dev"], { DATA_DIR: dataDirectory, PORT: "0" });
  expect(code).toBe(2);
  expect(output).toBe(
    `symbol-gateway already runs on the data in ${dataDirectory}: ${url}, process ${dev.pid}. ` +
      "Stop that one, or set DATA_DIR and PORT to others.\n",
  );
});

test("transfer announces through REST and waits for its block; prints the reason if it cannot", async () => {
  const [, url = ""] = /REST +(http:\S+)/.exec(dev.output)!;
  const transfer = (...args: string[]) => run(["transfer", "--to", "bob", ...args], { DATA_DIR: dataDirectory });
  const sent = await transfer("--amount", "1.5", "--message", "hello");
  expect(sent.output).toMatch(/Announced [0-9A-F]{64}[\s\S]*\nConfirmed in block \d+/);
  expect(sent.code).toBe(0);
  const [, hash, height] = /Announced ([0-9A-F]{64})[\s\S]*in block (\d+)/.exec(sent.output)!;
  const answer = await fetch(`${url}transactions/confirmed/${hash}`);
  const { transaction, meta } = (await answer.json()) as { transaction: Record<string, unknown>; meta: object };
  expect(meta).toMatchObject({ hash, height });
  expect(transaction).toMatchObject({ mosaics: [{ amount: "1500000" }], message: "0068656C6C6F" });

  const dry = await transfer("--amount", "1.5", "--dry-run");
  const [, fee = ""] =
    /Fee: (0\.\d{6}) symbol\.xym at present, at most 0\.\d{6} symbol\.xym\.\n/.exec(dry.output) ?? [];
  const changes = [
    ...dry.output.matchAll(/^(?:alice|bob) \(T[A-Z2-7]{38}\): (\d+\.\d{6}) symbol\.xym -> (\d+\.\d{6}) symbol\.xym$/gm),
  ];
  const atomic = (units = "") => BigInt(units.replace(".", ""));
  const differences = changes.map(([, before, after]) => atomic(after) - atomic(before));
  expect(differences.sort((a, b) => Number(a - b))).toEqual([-1_500_000n - atomic(fee), 1_500_000n]);
  expect(dry).toMatchObject({ code: 0, output: expect.stringMatching(/^Success\n/) });
  expect(dry.output).not.toContain("Announced");
  const dear = await transfer("--amount", "999999999999", "--dry-run");
  expect(dear).toMatchObject({ code: 1, output: expect.stringMatching(/^Failure_Core_Insufficient_Balance\n/) });

  const harvested = await transfer("--amount", "2", "--from", "harvester");
  expect(harvested).toMatchObject({ code: 0, output: expect.stringMatching(/\nConfirmed in block \d+/) });

  const rejected = await transfer("--amount", "999999999999");
  const sentence = /rejected it: The account does not have enough .*\. \(Failure_Core_Insufficient_Balance\)\n/;
  expect(rejected).toMatchObject({ code: 1, output: expect.stringMatching(sentence) });
  expect(await transfer("--amount", "1", "--mosaic", "1111111111111111")).toMatchObject({
    code: 1,
    output: "There is no mosaic 1111111111111111.\n",
  });
  expect((await run(["transfer", "--to", "bobb", "--amount", "1"], { DATA_DIR: dataDirectory })).output).toContain(
    "bobb is neither an address nor the name of a devnet account. Did you mean bob?",
  );
  expect(await transfer()).toMatchObject({ code: 2, output: expect.stringContaining("--amount is required") });
});

test("other commands find the database, the node and the gateway by the data folder, unless a setting overrides it", async () => {
  const env = { DATA_DIR: dataDirectory };
  const port = String(await freePort());
  expect(await run(["transfer", "--to", "bob", "--amount", "1"], { ...env, PORT: port })).toMatchObject({
    code: 1,
    output: expect.stringMatching(new RegExp(`http://localhost:${port} does not respond.*set DATA_DIR`)),
  });
  expect(await run(["check"], env)).toMatchObject({ code: 0, output: expect.stringContaining("No differences.\n") });
  expect(await run(["migrate"], env)).toMatchObject({ code: 0 });
  const { port: ofDatabase } = new URL((await run(["database-url"], env)).output.trim());
  expect(dev.output).toContain(`@127.0.0.1:${ofDatabase}/symbol_gateway`);
});

test.each(["gateway", "indexer", "devnet"])("continues after kill -9 of its %s", async (name) => {
  const before = pids()[name]!;
  process.kill(before, "SIGKILL");
  await dev.waitFor(new RegExp(`"command":"(dev-)?${name}","code":null,"signal":"SIGKILL"`));
  heightBefore = await servedHeight(heightBefore + 2);
});

test("leaves no process behind after it is killed with kill -9, and continues at the next start", async () => {
  const all = pids();
  expect(Object.keys(all).sort()).toEqual(expect.arrayContaining(["devnet", "gateway", "indexer", "postgres"]));
  await dev.kill("SIGKILL");
  for (const pid of Object.values(all)) await waitForEnd(pid);
  expect(existsSync(runningFile())).toBe(true);
  expect(await readRunningSettings(dataDirectory)).toBeUndefined();
  await startDev();
  expect(await readRunningSettings(dataDirectory)).toMatchObject({ DEVNET_SEED: "development" });
  await servedHeight(heightBefore + 1);
});

test("stops everything in order after SIGINT", async () => {
  const all = pids();
  expect(await dev.kill("SIGINT")).toEqual({ code: 0, signal: null });
  expect(Object.values(all).filter(isAlive)).toEqual([]);
  const order = [...dev.output.matchAll(/"name":"(\w+)","signal":"stop","msg":"Stopping"/g)].map(([, name]) => name);
  expect(order).toEqual(["gateway", "indexer", "devnet"]);
  expect(existsSync(runningFile())).toBe(false);
});

test("backfill starts the embedded database itself, and produces from the bytes what the indexer produced", async () => {
  const env = { DATA_DIR: dataDirectory };
  expect(await run(["backfill", "--source", "raw"], env)).toMatchObject({ code: 0 });
  const postgres = await startPostgres({
    dataDirectory: path.join(dataDirectory, "postgres"),
    log: pino({ level: "silent" }),
  });
  try {
    const checked = await run(["check", "--offline"], { ...env, DATABASE_URL: postgres.connectionString });
    expect(checked).toMatchObject({ code: 0, output: expect.stringContaining("No differences.\n") });
  } finally {
    await postgres.stop();
  }
});
