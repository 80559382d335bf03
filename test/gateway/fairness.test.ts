import type { IncomingMessage } from "node:http";
import { mock } from "node:test";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { clientOf } from "../../gateway/clients/addresses.js";
import { Clients } from "../../gateway/clients/clients.js";
import { FairQueue } from "../../gateway/clients/fair-queue.js";
import { ReceiveLimit } from "../../gateway/clients/receive-limit.js";
import { RequestQueue, type RequestQueueOwner } from "../../gateway/clients/request-queue.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("turns of the event loop", () => {
  test("clients take turns, however many steps one of them has", async () => {
    const steps = new FairQueue();
    const ran: string[] = [];
    for (let n = 0; n < 5; n++) steps.add("greedy", () => ran.push(`greedy ${n}`) < 0);
    for (let n = 0; n < 2; n++) steps.add("modest", () => ran.push(`modest ${n}`) < 0);
    while (ran.length < 7) await turn();
    expect(ran).toEqual(["greedy 0", "modest 0", "greedy 1", "modest 1", "greedy 2", "greedy 3", "greedy 4"]);
  });

  test("a step with more work runs again, after the steps of others", async () => {
    const steps = new FairQueue();
    const ran: string[] = [];
    steps.add("a", () => ran.push("a") < 4);
    steps.add("b", () => ran.push("b") < 3);
    while (ran.length < 5) await turn();
    expect(ran).toEqual(["a", "b", "a", "b", "a"]);
  });

  test("work that exceeds a turn yields the event loop to others", async () => {
    const steps = new FairQueue();
    let ran = 0;
    steps.add("long", () => {
      for (const end = performance.now() + 1; performance.now() < end; );
      ran += 1;
      return ran < 1_000;
    });
    await turn();
    await turn();
    expect(ran).toBeLessThan(10);
    steps.close();
    await turn();
    expect(ran).toBeLessThan(10);
  });
});

describe("clients", () => {
  test.each([
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["2001:db8:0:1:aaaa::1", "2001:db8:0:1"],
    ["2001:0DB8::1:ffff:0:0:1", "2001:db8:0:1"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["::ffff:102:304", "1.2.3.4"],
    ["0:0:0:0:0:FFFF:0102:0304", "1.2.3.4"],
  ])("%s belongs to %s", (address, key) => {
    expect(clientOf(address)).toBe(key);
  });

  test("of an unknown proxy count as one, which is reported once", () => {
    const reported: string[] = [];
    const clients = new Clients(["10.0.0.0/8"], (address) => reported.push(address));
    const keyOf = (remoteAddress: string, forwarded?: string) =>
      clients.keyOf({
        socket: { remoteAddress },
        headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
      } as unknown as IncomingMessage);
    expect(keyOf("10.0.0.1", "203.0.113.1")).toBe("203.0.113.1");
    expect(keyOf("203.0.113.9")).toBe("203.0.113.9");
    expect(reported).toEqual([]);
    for (const client of ["203.0.113.1", "203.0.113.2"]) expect(keyOf("192.0.2.7", client)).toBe("192.0.2.7");
    expect(reported).toEqual(["192.0.2.7"]);
  });

  test("are remembered as long as they have connections, of any kind", () => {
    const clients = new Clients(["10.0.0.0/8"]);
    const closed = [
      clients.open(clients.at("203.0.113.9"), "/ws"),
      clients.open(clients.at("203.0.113.9"), "/ws"),
      clients.open(clients.at("203.0.113.9"), "HTTP"),
    ];
    expect(clients.at("203.0.113.9").connections("/ws")).toBe(2);
    expect(clients.at("203.0.113.8").connections("/ws")).toBe(0);
    expect(clients.isProxy("10.1.2.3")).toBe(true);
    for (const close of closed) close();
    expect(clients.size).toBe(0);
  });
});

describe("input from one client over all its connections", () => {
  // The test has its own clock: delays of a busy machine do not matter.
  let now: number;
  beforeEach(() => {
    now = 0;
    mock.timers.enable({ apis: ["setTimeout"] });
    mock.method(performance, "now", () => now);
  });
  afterEach(() => mock.reset());

  function advance(ms: number): void {
    for (const end = now + ms; now < end; ) {
      now += 1;
      mock.timers.tick(1);
    }
  }

  class TestReader {
    reads = true;

    pause(): void {
      this.reads = false;
    }

    resume(): void {
      this.reads = true;
    }
  }

  test("beyond the bytes per second, none of its connections is read, then one after another", () => {
    const receiveLimit = new ReceiveLimit({ messagesPerSecond: 1, bytesPerSecond: 10_000 });
    const readers = [new TestReader(), new TestReader(), new TestReader()];
    for (const one of readers) receiveLimit.add(one);
    const reading = () => readers.flatMap(({ reads }, place) => (reads ? [place] : []));
    receiveLimit.countBytes(9_000);
    expect(reading()).toEqual([0, 1, 2]);
    receiveLimit.countBytes(2_000);
    expect(reading()).toEqual([]);
    advance(99);
    expect(reading()).toEqual([]);
    advance(1);
    for (const place of [0, 1, 2]) {
      expect(reading()).toEqual([place]);
      // It continues to send, so the next one is not read yet.
      receiveLimit.countBytes(200);
      expect(reading()).toEqual([]);
      advance(20);
    }
    expect(reading()).toEqual([0]);
    for (const one of readers) receiveLimit.remove(one);
    expect(receiveLimit.isUnused).toBe(true);
  });

  test("messages are handled no faster than the rate, in the order in which they came", () => {
    const receiveLimit = new ReceiveLimit({ messagesPerSecond: 4, bytesPerSecond: 10_000 });
    const allowed: string[] = [];
    const take = (name: string) => {
      const allow = () => allowed.push(name);
      if (receiveLimit.takeMessage(allow)) allow();
      return allow;
    };
    for (const name of ["a", "b", "c", "d"]) take(name);
    expect(allowed).toEqual(["a", "b", "c", "d"]);
    take("e");
    const leaving = take("f");
    take("g");
    advance(249);
    expect(allowed).toHaveLength(4);
    advance(1);
    expect(allowed.slice(4)).toEqual(["e"]);
    receiveLimit.leave(leaving);
    advance(249);
    // One that comes later does not overtake.
    take("h");
    expect(allowed.slice(4)).toEqual(["e"]);
    advance(1);
    expect(allowed.slice(4)).toEqual(["e", "g"]);
    advance(10_000);
    expect(allowed.slice(4)).toEqual(["e", "g", "h"]);
  });

  test("thousands of connections above the rate are not asked again and again", async () => {
    const steps = new FairQueue();
    const receiveLimit = new ReceiveLimit({ messagesPerSecond: 1_000, bytesPerSecond: 10_000 });
    const take = mock.method(receiveLimit, "takeMessage");
    const handled: number[] = [];
    const connections = Array.from({ length: 3_000 }, (_, place) => {
      const owner: RequestQueueOwner = {
        clientKey: "same",
        isOpen: true,
        handle: () => handled.push(place),
        fail: () => undefined,
        pause: () => undefined,
        resume: () => undefined,
        onPaused: () => undefined,
      };
      return new RequestQueue(owner, steps, receiveLimit);
    });
    for (const queue of connections) queue.add(Buffer.of(0));
    await turn();
    expect(handled).toHaveLength(1_000);
    for (let ms = 0; ms < 2_000; ++ms) {
      advance(1);
      await turn();
    }
    expect(handled).toEqual(connections.map((_, place) => place));
    expect(take.mock.callCount()).toBe(3_000);
    steps.close();
  });
});
