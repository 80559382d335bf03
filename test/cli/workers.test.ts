import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TestClient } from "../gateway/websocket-fixture.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { EventWriter } from "../support/event-writer.js";
import { isAlive, startProcess, type TestProcess, waitForEnd } from "../support/process.js";
import { until } from "../support/until.js";

/** Half of them of each worker. */
const CLIENTS = 8;

let folder: string;
let database: TestDatabase;
let writer: EventWriter;
let program: TestProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-workers-"));
  database = await createMigratedDatabase();
  writer = new EventWriter(database.url);
  await writer.begin();
});
afterAll(async () => {
  await program?.kill();
  await writer?.close();
  await database?.drop();
  rmSync(folder, { recursive: true });
});

async function start(...args: string[]): Promise<{ port: number; pids: number[]; program: TestProcess }> {
  const env = { DATABASE_URL: database.url, HOST: "127.0.0.1", PORT: "0", DATA_DIR: folder, DEVNET_PORT: "1" };
  program = startProcess(["gateway", ...args], { env, cwd: folder });
  await program.waitFor("All workers are listening", 60_000);
  const { workers, port } = JSON.parse(
    program.output.split("\n").find((line) => line.includes("All workers are listening")) as string,
  );
  return { port, pids: workers, program };
}

/** A new connection each time, so that the workers take turns. */
async function metrics(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: "close" } });
  expect(response.status).toBe(200);
  return response.text();
}

function figure(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

describe("a gateway of several processes", () => {
  test("shares a port, reports every event to every subscriber, sums its metrics, restarts workers and ends as one", async () => {
    const { port, pids, program: parent } = await start("--workers", "2");
    expect(pids).toHaveLength(2);

    const [victim, survivor] = pids as [number, number];
    const clients: TestClient[] = [];
    for (const other of [survivor, victim]) {
      // Which worker accepts a connection is the system's choice: the other one stands still meanwhile.
      process.kill(other, "SIGSTOP");
      try {
        for (let n = 0; n < CLIENTS / 2; n++) clients.push(await TestClient.connect(`ws://127.0.0.1:${port}/ws`));
      } finally {
        process.kill(other, "SIGCONT");
      }
    }
    for (const client of clients) client.subscribe("block");
    await until(
      async () => figure(await metrics(port), "symbol_gateway_websocket_subscriptions") === CLIENTS,
      `${CLIENTS} subscriptions in the figures of all workers together`,
    );
    await writer.write({ channel: "block", data: { height: "1" } });
    for (const client of clients) expect(await client.received(1)).toMatchObject([{ topic: "block" }]);
    expect(figure(await metrics(port), "symbol_gateway_websocket_messages_sent")).toBe(2 * CLIENTS);
    expect(figure(await metrics(port), "symbol_gateway_event_sequence")).toBe(1);
    expect(await metrics(port)).toMatch(/^symbol_gateway_info\{version="[^"]+"\} 1$/m);

    process.kill(victim, "SIGKILL");
    await parent.waitFor("A process ended unexpectedly and is restarted");
    for (let time = 0; time < 4; time++) await metrics(port);
    const closed = () => clients.filter(({ closed }) => closed !== undefined).length;
    await until(() => closed() === CLIENTS / 2, "the clients of the killed worker are cut off");
    const isMended = () => parent.output.split(`"msg":"Listening"`).length - 1 === 3;
    await until(isMended, "another worker listens on the port", 20_000);

    expect(await parent.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    const codes = await Promise.all(clients.map(async (client) => (await client.ended()).code));
    expect(codes).toEqual([...Array(CLIENTS / 2).fill(1006), ...Array(CLIENTS / 2).fill(1001)]);
    expect(isAlive(survivor)).toBe(false);
  }, 120_000);

  test("leaves no process behind when it is killed, and rejects invalid options", async () => {
    const { pids, program: parent } = await start("--workers", "0");
    await parent.kill("SIGKILL");
    for (const pid of pids) await waitForEnd(pid);
    const rejected = startProcess(["gateway", "--workers", "1000"], {
      env: { DATABASE_URL: database.url },
      cwd: folder,
    });
    expect((await rejected.exited).code).toBe(2);
    expect(rejected.output).toContain("--workers must be from 0 to 256, not 1000.");
  }, 120_000);
});
