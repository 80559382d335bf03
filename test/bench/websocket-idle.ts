import { setTimeout as sleep } from "node:timers/promises";
import { createMigratedDatabase } from "../support/database.js";
import { EventWriter } from "../support/event-writer.js";
import type { Benchmark, Figure } from "./benchmark.js";
import { Crowd, crowdSettings } from "./crowd.js";
import { GatewayProgram } from "./gateway-program.js";
import { frameSize } from "./raw-client.js";

const CONNECTIONS = 10_000;
const REST_MS = 5_000;
const LIMIT_MIB = 220;

/** Memory of a gateway with many connections. */
export const webSocketIdle: Benchmark = {
  name: "websocket-idle",
  title: "WebSocket: 10,000 idle connections",
  about:
    "Resident memory of the gateway process with 10,000 connections from another process, one subscription each; then " +
    "after a block was sent to all of them. The gateway runs with `--max-semi-space-size=8`, as docs/operations.md suggests.",
  run,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const database = await createMigratedDatabase();
  const writer = new EventWriter(database.url);
  await writer.begin();
  const gateway = await GatewayProgram.start(database.url, crowdSettings, { execArgv: ["--max-semi-space-size=8"] });
  const crowd = new Crowd();
  await sleep(1_000);
  const before = gateway.rss();
  const start = performance.now();
  await crowd.connect(
    gateway.port,
    Array.from({ length: CONNECTIONS }, () => ["block"]),
  );
  await gateway.subscribed(CONNECTIONS);
  say(`${CONNECTIONS} connections in ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  await sleep(REST_MS);
  const idle = gateway.rss();

  const data = { n: "x".repeat(1_000) };
  const arrived = crowd.expect(frameSize(Buffer.from(JSON.stringify({ topic: "block", data, sequence: 1 }))));
  await writer.write({ channel: "block", data });
  await arrived;
  const used = gateway.rss();
  crowd.end();
  await gateway.stop();
  await writer.close();
  await database.drop();
  return [
    { what: "memory with the connections", samples: [idle], unit: "MiB", target: { atMost: LIMIT_MIB } },
    { what: "memory after a block to all", samples: [used], unit: "MiB", target: { atMost: LIMIT_MIB } },
    { what: "memory before", samples: [before], unit: "MiB" },
    { what: "memory per connection", samples: [((idle - before) * 1_048_576) / CONNECTIONS], unit: "bytes" },
  ];
}
