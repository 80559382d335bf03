import { connect, type Socket } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { OWN_CONNECTIONS } from "../support/own-catalogues.js";
import { SeededRandom } from "../support/seeded-random.js";
import { pause, until } from "../support/until.js";
import { MessageScene } from "./message-scene.js";
import { listen, type TestClient } from "./websocket-fixture.js";

const scene = MessageScene.use();

const numbers = (client: TestClient) => client.messages.map(({ data }) => data.n);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

describe("a client that does not read", () => {
  const count = 48;
  const padding = "x".repeat(512 * 1024);

  /** Writes at the pace of those who read, so that no other client becomes slow on a busy machine. */
  async function writeMuch(...readers: TestClient[]): Promise<void> {
    for (const n of upTo(count)) {
      await scene.writer.write({ channel: "block", data: { n, padding } });
      for (const reader of readers) await reader.received(n + 1);
    }
  }

  test("is closed with 1013 while the others receive everything", async () => {
    // A busy machine needs more than 10 s for the other messages, after which the slow one may still read its end.
    const gateway = await scene.start({ limits: { bufferedBytes: 1024 * 1024, closeTimeoutMs: 600_000 } });
    const [slow, quick, another] = [
      await listen(gateway, "block"),
      await listen(gateway, "block"),
      await listen(gateway, "block"),
    ];
    slow.socket.pause();
    await writeMuch(quick, another);
    for (const client of [quick, another]) {
      expect(numbers(client)).toEqual(upTo(count));
    }
    expect(gateway.stats).toMatchObject({ slowClosed: 1, subscriptions: 2 });
    slow.socket.resume();
    expect(await slow.ended()).toEqual({ code: 1013, reason: "The client reads too slowly" });
    // The received messages are in order and without gaps.
    expect(numbers(slow)).toEqual(upTo(slow.messages.length));
    expect(slow.messages.length).toBeLessThan(count);
  });

  test("is cut when it does not even read that", async () => {
    const gateway = await scene.start({ limits: { bufferedBytes: 1024 * 1024, closeTimeoutMs: 100 } });
    const [slow, quick] = [await listen(gateway, "block"), await listen(gateway, "block")];
    slow.socket.pause();
    await writeMuch(quick);
    await until(() => gateway.stats.connections === 1, "the slow client is gone");
    slow.socket.terminate();
  });
});

test("a dead peer is disconnected, one that answers pings stays", async () => {
  // Longer than a busy machine stops a process: an answer that waits to be read counts as none.
  const pingIntervalMs = 2_000;
  const gateway = await scene.start({ limits: { pingIntervalMs } });
  const alive = await listen(gateway, "block");
  const dead = await rawConnection(gateway.port);
  await until(() => gateway.stats.connections === 2, "both are connected");
  await until(() => gateway.stats.connections === 1, "the dead one is cut");
  expect(gateway.stats.deadCut).toBe(1);
  await pause(2.4 * pingIntervalMs);
  await scene.writer.write({ channel: "block", data: { n: 0 } });
  await alive.received(1);
  expect(gateway.stats.connections).toBe(1);
  dead.destroy();
});

/** A client that speaks only HTTP. */
async function rawConnection(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  const key = Buffer.alloc(16, 1).toString("base64");
  const head = [
    "GET /ws HTTP/1.1",
    "Host: x",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
  ];
  socket.write(`${head.join("\r\n")}\r\nSec-WebSocket-Key: ${key}\r\n\r\n`);
  socket.resume();
  return socket;
}

describe("several gateways and lost database connections", () => {
  test("every gateway on the database reports all events, even one that starts later", async () => {
    const [first, second] = [await scene.start(), await scene.start()];
    const clients = [await listen(first, "block"), await listen(second, "block"), await listen(second, "block")];
    for (const n of upTo(20)) await scene.writer.write({ channel: "block", data: { n } });
    const third = await scene.start();
    const late = await listen(third, "block");
    for (const n of upTo(5)) await scene.writer.write({ channel: "block", data: { n: 20 + n } });
    for (const client of clients) {
      await client.received(25);
      expect(numbers(client)).toEqual(upTo(25));
    }
    await late.received(5);
    expect(numbers(late)).toEqual([20, 21, 22, 23, 24]);
  });

  test("connections are killed repeatedly while events arrive: nothing lost, nothing duplicated, order kept", async () => {
    const random = new SeededRandom();
    const events = { pollIntervalMs: 200, backoff: { initialMs: 5, maxMs: 40 }, batchSize: 7 };
    const [first, second] = [await scene.start({ events }), await scene.start({ events })];
    const clients = [await listen(first, "block", "finalizedBlock"), await listen(second, "block", "finalizedBlock")];
    const count = 1_000;
    let kills = 0;
    for (let n = 0; n < count; ) {
      const batch = Array.from({ length: Math.min(1 + random.below(12), count - n) }, () => n++);
      await scene.writer.write(
        ...batch.map((m) => ({ channel: m % 3 ? ("block" as const) : ("finalizedBlock" as const), data: { n: m } })),
      );
      if (random.below(100) < 15) {
        const killed = await scene.writer.query(
          `SELECT pg_terminate_backend(pid) FROM ${OWN_CONNECTIONS}
             WHERE application_name IN ('symbol-gateway events', 'test gateway') AND random() < 0.7`,
        );
        kills += killed.length;
      }
    }
    for (const client of clients) {
      await client.received(count);
      expect(numbers(client)).toEqual(upTo(count));
      expect(client.messages[count - 1]!.sequence - client.messages[0]!.sequence).toBe(count - 1);
    }
    expect(kills).toBeGreaterThan(10);
    process.stderr.write(`${count} events to 2 gateways, ${kills} connections killed: 0 lost, 0 doubled\n`);
  });
});
