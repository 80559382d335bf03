import { mock } from "node:test";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { clientOf } from "../../gateway/clients/client-address.js";
import { Clients } from "../../gateway/clients/clients.js";
import { FairGate } from "../../gateway/clients/fair-gate.js";
import { FairTurns } from "../../gateway/clients/fair-turns.js";
import { Inbox, type InboxOwner } from "../../gateway/clients/inbox.js";
import { Intake } from "../../gateway/clients/intake.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("turns of the event loop", () => {
  test("clients take turns, however many steps one of them has", async () => {
    const turns = new FairTurns();
    const ran: string[] = [];
    for (let n = 0; n < 5; n++) turns.add("greedy", () => ran.push(`greedy ${n}`) < 0);
    for (let n = 0; n < 2; n++) turns.add("modest", () => ran.push(`modest ${n}`) < 0);
    while (ran.length < 7) await turn();
    expect(ran).toEqual(["greedy 0", "modest 0", "greedy 1", "modest 1", "greedy 2", "greedy 3", "greedy 4"]);
  });

  test("a step with more work runs again, after the steps of others", async () => {
    const turns = new FairTurns();
    const ran: string[] = [];
    turns.add("a", () => ran.push("a") < 4);
    turns.add("b", () => ran.push("b") < 3);
    while (ran.length < 5) await turn();
    expect(ran).toEqual(["a", "b", "a", "b", "a"]);
  });

  test("work that exceeds a turn yields the event loop to others", async () => {
    const turns = new FairTurns(0);
    let steps = 0;
    turns.add("long", () => {
      steps += 1;
      return steps < 1_000;
    });
    await turn();
    await turn();
    expect(steps).toBeLessThan(10);
    turns.close();
    await turn();
    expect(steps).toBeLessThan(10);
  });
});

describe("a gate", () => {
  test("admits a bounded number, in total and per client, and queued ones in turns", async () => {
    const gate = new FairGate({ total: 3, perClient: 2 });
    const inside: string[] = [];
    const releases: (() => void)[] = [];
    const enter = (client: string, name: string) =>
      gate.enter(client).then((release) => {
        inside.push(name);
        releases.push(release);
      });
    for (let n = 0; n < 4; n++) void enter("greedy", `greedy ${n}`);
    void enter("other", "other 0");
    void enter("third", "third 0");
    await turn();
    expect(inside).toEqual(["greedy 0", "greedy 1", "other 0"]);
    expect(gate.waiting("greedy")).toBe(2);
    expect(gate.tryEnter("greedy")).toBeUndefined();
    for (let n = 0; n < 3; n++) {
      // Released twice, it counts only once.
      releases[n]!();
      releases[n]!();
      await turn();
    }
    expect(inside.slice(3)).toEqual(["greedy 2", "third 0", "greedy 3"]);
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
  ])("%s belongs to %s", (address, key) => {
    expect(clientOf(address)).toBe(key);
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
    const intake = new Intake({ messagesPerSecond: 1, bytesPerSecond: 10_000 });
    const readers = [new TestReader(), new TestReader(), new TestReader()];
    for (const one of readers) intake.add(one);
    const reading = () => readers.flatMap(({ reads }, place) => (reads ? [place] : []));
    intake.countBytes(9_000);
    expect(reading()).toEqual([0, 1, 2]);
    intake.countBytes(2_000);
    expect(reading()).toEqual([]);
    advance(99);
    expect(reading()).toEqual([]);
    advance(1);
    for (const place of [0, 1, 2]) {
      expect(reading()).toEqual([place]);
      // It continues to send, so the next one is not read yet.
      intake.countBytes(200);
      expect(reading()).toEqual([]);
      advance(20);
    }
    expect(reading()).toEqual([0]);
    for (const one of readers) intake.remove(one);
    expect(intake.isUnused).toBe(true);
  });

  test("messages are handled no faster than the rate, in the order in which they came", () => {
    const intake = new Intake({ messagesPerSecond: 4, bytesPerSecond: 10_000 });
    const allowed: string[] = [];
    const take = (name: string) => {
      const allow = () => allowed.push(name);
      if (intake.takeMessage(allow)) allow();
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
    intake.leave(leaving);
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
    const turns = new FairTurns();
    const intake = new Intake({ messagesPerSecond: 1_000, bytesPerSecond: 10_000 });
    const take = mock.method(intake, "takeMessage");
    const handled: number[] = [];
    const connections = Array.from({ length: 3_000 }, (_, place) => {
      const owner: InboxOwner = {
        clientKey: "same",
        isOpen: true,
        handle: () => handled.push(place),
        pause: () => undefined,
        resume: () => undefined,
        onPaused: () => undefined,
      };
      return new Inbox(owner, turns, intake);
    });
    for (const inbox of connections) inbox.add(Buffer.of(0));
    await turn();
    expect(handled).toHaveLength(1_000);
    for (let ms = 0; ms < 2_000; ++ms) {
      advance(1);
      await turn();
    }
    expect(handled).toEqual(connections.map((_, place) => place));
    expect(take.mock.callCount()).toBe(3_000);
    turns.close();
  });
});
