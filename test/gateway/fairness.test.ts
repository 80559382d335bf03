import type { IncomingMessage } from "node:http";
import { mock } from "node:test";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { toClientKey } from "../../gateway/clients/addresses.js";
import { Clients } from "../../gateway/clients/clients.js";
import { FairQueue } from "../../gateway/clients/fair-queue.js";
import { Inbox, type InboxConnection, type InboxLimits } from "../../gateway/sockets/inbox.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("turns of the event loop", () => {
  test("clients take turns, however many one of them waits for", async () => {
    const turns = new FairQueue();
    const ran: string[] = [];
    const run = async (client: string, name: string) => {
      await turns.turn(client);
      ran.push(name);
    };
    const greedy = [0, 1, 2, 3, 4].map((n) => run("greedy", `greedy ${n}`));
    const modest = [0, 1].map((n) => run("modest", `modest ${n}`));
    await Promise.all([...greedy, ...modest]);
    expect(ran).toEqual(["greedy 0", "modest 0", "greedy 1", "modest 1", "greedy 2", "greedy 3", "greedy 4"]);
  });

  test("work that exceeds a turn yields the event loop to others", async () => {
    const turns = new FairQueue();
    let ran = 0;
    const work = async () => {
      for (; ran < 1_000; ran += 1) {
        await turns.turn("long");
        for (const end = performance.now() + 1; performance.now() < end; );
      }
    };
    void work();
    await turn();
    await turn();
    expect(ran).toBeLessThan(10);
    ran = 1_000;
  });

  test("work that fails is the failure of its caller alone", async () => {
    const turns = new FairQueue();
    const failing = turns.turn("bad").then(() => {
      throw new Error("a fault");
    });
    const others = ["good", "bad"].map((client) => turns.turn(client));
    await expect(failing).rejects.toThrow("a fault");
    await Promise.all(others);
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
    expect(toClientKey(address)).toBe(key);
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

  async function advance(ms: number): Promise<void> {
    for (const end = now + ms; now < end; ) {
      now += 1;
      mock.timers.tick(1);
      // What was waited for gets its turn in the iteration after the next one.
      await turn();
      await turn();
    }
  }

  class TestConnection implements InboxConnection {
    isOpen = true;
    reads = true;
    paused = 0;
    readonly handled: string[];

    constructor(handled: string[] = []) {
      this.handled = handled;
    }

    handle(message: Buffer): void {
      this.handled.push(String(message));
    }

    fail(): void {
      throw new Error("it did not fail");
    }

    pause(): void {
      this.reads = false;
    }

    resume(): void {
      this.reads = true;
    }

    onPaused(): void {
      this.paused += 1;
    }
  }

  const inboxOf = (limits: InboxLimits) => new Inbox("client", new FairQueue(), limits);

  test("beyond the bytes per second, none of its connections is read, then one after another", async () => {
    const inbox = inboxOf({ messagesPerSecond: 1, bytesPerSecond: 10_000 });
    const connections = [new TestConnection(), new TestConnection(), new TestConnection()];
    for (const one of connections) inbox.add(one);
    const reading = () => connections.flatMap(({ reads }, place) => (reads ? [place] : []));
    inbox.countBytes(9_000);
    expect(reading()).toEqual([0, 1, 2]);
    inbox.countBytes(2_000);
    expect(reading()).toEqual([]);
    await advance(99);
    expect(reading()).toEqual([]);
    await advance(1);
    for (const place of [0, 1, 2]) {
      expect(reading()).toEqual([place]);
      // It continues to send, so the next one is not read yet.
      inbox.countBytes(200);
      expect(reading()).toEqual([]);
      await advance(20);
    }
    expect(reading()).toEqual([0]);
    for (const one of connections) inbox.remove(one);
    expect(inbox.isUnused).toBe(true);
  });

  test("messages are handled no faster than the rate, its connections take turns, a closed one's are dropped", async () => {
    const inbox = inboxOf({ messagesPerSecond: 4, bytesPerSecond: 10_000 });
    const handled: string[] = [];
    const [first, second, leaving] = [0, 1, 2].map(() => new TestConnection(handled)) as [
      TestConnection,
      TestConnection,
      TestConnection,
    ];
    const receive = (connection: TestConnection, ...messages: string[]) => {
      for (const message of messages) inbox.receive(connection, Buffer.from(message));
    };
    receive(first, "a1", "a2", "a3", "a4");
    receive(second, "b1");
    receive(leaving, "c1", "c2");
    await turn();
    expect(handled).toEqual(["a1", "b1", "c1", "a2"]);
    expect([first, second, leaving].map(({ paused }) => paused)).toEqual([1, 1, 0]);
    inbox.remove(leaving);
    await advance(249);
    expect(handled).toHaveLength(4);
    // One that comes later does not overtake.
    receive(second, "b2");
    await advance(1);
    expect(handled.slice(4)).toEqual(["a3"]);
    await advance(250);
    expect(handled.slice(5)).toEqual(["b2"]);
    await advance(10_000);
    expect(handled.slice(6)).toEqual(["a4"]);
  });

  test("a connection with many waiting messages is not read until they are handled", async () => {
    const inbox = inboxOf({ messagesPerSecond: 10, bytesPerSecond: 10_000 });
    const connection = new TestConnection();
    inbox.add(connection);
    for (let n = 0; n < 20; ++n) inbox.receive(connection, Buffer.of(48));
    expect(connection.reads).toBe(false);
    await turn();
    await advance(950);
    expect([connection.handled.length, connection.reads]).toEqual([19, false]);
    await advance(200);
    expect([connection.handled.length, connection.reads]).toEqual([20, true]);
  });

  test("thousands of connections above the rate are not asked again and again", async () => {
    const inbox = inboxOf({ messagesPerSecond: 1_000, bytesPerSecond: 10_000 });
    const handled: string[] = [];
    const connections = Array.from({ length: 3_000 }, () => new TestConnection(handled));
    for (const [n, connection] of connections.entries()) inbox.receive(connection, Buffer.from(String(n)));
    await turn();
    expect(handled).toHaveLength(1_000);
    await advance(2_000);
    expect(handled).toEqual(connections.map((_, n) => String(n)));
    expect(connections.every(({ paused }) => paused === 1)).toBe(true);
  });
});
