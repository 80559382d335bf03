import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statementChannel, type TracedStatement } from "../../database/prepared-client.js";
import type { Answer } from "../../gateway/rest/routes/route.js";
import { SharedReads } from "../../gateway/rest/shared-reads.js";
import { AnswerStream } from "../support/answer-stream.js";
import { SeededRandom } from "../support/seeded-random.js";
import { GatewayFixture } from "./gateway-fixture.js";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("reads of one URL", () => {
  /** Reads that end when the test ends them. */
  function pendingReads() {
    const started: { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void }[] = [];
    const read = () => new Promise<Answer>((resolve, reject) => started.push({ resolve, reject }));
    return { started, read };
  }

  test("are one for the requests of one turn of the event loop", async () => {
    const reads = new SharedReads();
    const { started, read } = pendingReads();
    expect(reads.has("/a")).toBe(false);
    const answers = [reads.share("/a", read), reads.share("/a", read), reads.share("/b", read)];
    expect(reads.has("/a")).toBe(true);
    expect(started).toHaveLength(0);
    await nextTurn();
    expect(started).toHaveLength(2);
    started[0]!.resolve({ body: "a" });
    started[1]!.resolve({ body: "b" });
    expect(await Promise.all(answers)).toEqual([{ body: "a" }, { body: "a" }, { body: "b" }]);
  });

  test("that have started are too old for a request that arrives then", async () => {
    const reads = new SharedReads();
    const { started, read } = pendingReads();
    const early = reads.share("/a", read);
    await nextTurn();
    expect(reads.has("/a")).toBe(false);
    const late = reads.share("/a", read);
    await nextTurn();
    expect(started).toHaveLength(2);
    started[1]!.resolve({ body: "new" });
    started[0]!.resolve({ body: "old" });
    expect(await Promise.all([early, late])).toEqual([{ body: "old" }, { body: "new" }]);
  });

  test("fail for each of their requests, and not for later ones", async () => {
    const reads = new SharedReads();
    const { started, read } = pendingReads();
    const failing = [reads.share("/a", read), reads.share("/a", read)].map((answer) => answer.catch(String));
    await nextTurn();
    started[0]!.reject(new Error("lost"));
    expect(await Promise.all(failing)).toEqual(["Error: lost", "Error: lost"]);
    const next = reads.share("/a", read);
    await nextTurn();
    started[1]!.resolve({ body: "found" });
    expect(await next).toEqual({ body: "found" });
  });
});

describe("a gateway without a cache", () => {
  const PAGES = 24;
  let gateway: GatewayFixture;
  let expected: ReadonlyMap<string, string>;

  beforeAll(async () => {
    gateway = await GatewayFixture.start({ blocks: 300, seed: 1 }, { responseCacheBytes: 0 });
    const paths = Array.from({ length: PAGES }, (_, n) => {
      const list = n % 3 === 0 ? "transactions/confirmed" : "blocks";
      return `/${list}?pageSize=${n % 2 === 0 ? 100 : 10}&pageNumber=${(1 + (n >> 2) / 2) | 0}&order=${n % 4 < 2 ? "asc" : "desc"}`;
    });
    const answers = await Promise.all(paths.map(async (path) => [path, (await gateway.get(path)).text] as const));
    expected = new Map(answers);
  });
  afterAll(() => gateway?.close());

  async function open(): Promise<Socket> {
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return socket;
  }

  /** Sends requests at once, and reads their bodies; fewer if `cutAfter` bytes end the connection before. */
  async function exchange(socket: Socket, paths: readonly string[], pauseMs = 0, cutAfter = Number.POSITIVE_INFINITY) {
    const stream = new AnswerStream();
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
      socket.once("close", () => reject(new Error(`The connection was closed after ${stream.bodies.length} answers`)));
      const read = (data: Buffer): void => {
        try {
          stream.push(data);
        } catch (error) {
          reject(error);
        }
        if (stream.received < cutAfter && stream.bodies.length < paths.length) return;
        resolve();
        socket.destroy();
      };
      if (pauseMs === 0) socket.on("data", read);
      else setTimeout(() => socket.on("data", read), pauseMs);
    });
    return stream.bodies;
  }

  test("reads the database once for requests of one URL that arrive together", async () => {
    const path = "/blocks?pageSize=20&pageNumber=2";
    await exchange(await open(), [path]);
    const sockets = await Promise.all([open(), open(), open(), open()]);
    // The server accepts them, so that it reads from all of them in one turn.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const statements: string[] = [];
    const subscriber = { start: (message: unknown) => void statements.push((message as TracedStatement).text) };
    statementChannel.subscribe(subscriber as never);
    const bodies = (await Promise.all(sockets.map((socket) => exchange(socket, [path])))).flat();
    statementChannel.unsubscribe(subscriber as never);
    expect(bodies).toEqual(Array.from({ length: 4 }, () => bodies[0]));
    expect(JSON.parse(bodies[0]!).data).toHaveLength(20);
    expect(statements.filter((text) => text.includes("raw_blocks"))).toHaveLength(1);
  });

  test("sends every client the right bodies, whatever others request, read slowly or leave", async () => {
    const random = new SeededRandom(1);
    const paths = [...expected.keys()];
    const pick = () => paths[random.below(paths.length)] as string;
    const client = async (): Promise<number> => {
      let bodies = 0;
      for (let round = 0; round < 10; round += 1) {
        // Often the same as another client's.
        const wanted = Array.from({ length: 1 + random.below(12) }, () => (random.below(2) === 0 ? paths[0]! : pick()));
        const pauseMs = random.below(3) === 0 ? 50 : 0;
        const cutAfter = random.below(4) === 0 ? 1 + random.below(300_000) : undefined;
        for (const [place, body] of (await exchange(await open(), wanted, pauseMs, cutAfter)).entries()) {
          bodies += 1;
          if (body !== expected.get(wanted[place]!)) expect(body).toBe(expected.get(wanted[place]!));
        }
      }
      return bodies;
    };
    const counts = await Promise.all(Array.from({ length: 8 }, client));
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(200);
  });
});
