import { describe, expect, test } from "@jest/globals";
import { get, RawClient, WEBSOCKET_HEADERS } from "../support/raw-client.js";
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
  // It answers nothing.
  const dead = await RawClient.open({ port: gateway.port });
  dead.write(get("/ws", ...WEBSOCKET_HEADERS));
  await until(() => gateway.stats.connections === 2, "both are connected");
  await until(() => gateway.stats.connections === 1, "the dead one is cut");
  expect(gateway.stats.deadCut).toBe(1);
  await pause(2.4 * pingIntervalMs);
  await scene.writer.write({ channel: "block", data: { n: 0 } });
  await alive.received(1);
  expect(gateway.stats.connections).toBe(1);
  dead.reset();
});
