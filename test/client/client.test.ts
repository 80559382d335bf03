import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { type ChannelName, channels } from "../../catapult/structs/message.js";
import { type EntryOf, GatewayClient, GatewayError, type Message, type Topic } from "../../client/index.js";
import { GatewayFixture } from "../gateway/gateway-fixture.js";
import { randomAddress, TestGateway } from "../gateway/websocket-fixture.js";
import { describeIfBrowser } from "../support/browser.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { EventWriter, type TestEvent } from "../support/event-writer.js";
import { OWN_CONNECTIONS } from "../support/own-catalogues.js";
import { SeededRandom } from "../support/seeded-random.js";
import { anyMoment, isWithin, until } from "../support/until.js";

/** `TEST_CUTS=1000` cuts more often. */
const CUTS = Number(process.env.TEST_CUTS ?? 60);
const COMPILED = new URL("../../client/", import.meta.url);
const RETRIES = { retryMs: 4, maxRetryMs: 20 };

type Numbered = Pick<Message, "sequence">;

const httpOf = ({ url }: TestGateway) => url.replace(/^ws(.*)\/ws$/, "http$1");

/** A WebSocket whose network can be lost: nothing arrives any more, and it does not close. */
class Freezable extends WebSocket {
  static newest: Freezable;
  isFrozen = false;

  constructor(url: string) {
    super(url);
    Freezable.newest = this;
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    return !this.isFrozen && super.emit(event, ...args);
  }
}

const scripts = readdirSync(COMPILED).filter((name) => name.endsWith(".js"));
const textOf = (name: string, folder = COMPILED) => readFileSync(new URL(name, folder), "utf8");

test("the client has less than 20 kB and imports only its own files", () => {
  const bytes = scripts.reduce((sum, name) => sum + Buffer.byteLength(textOf(name)), 0);
  expect(bytes).toBeLessThan(20_000);
  expect(bytes).toBeGreaterThan(5_000);
  const imports = scripts.flatMap((name) =>
    [...textOf(name).matchAll(/from "([^"]+)"/g)].map(([, from]) => from ?? ""),
  );
  expect(imports.filter((from) => !from.startsWith("./"))).toEqual([]);
});

type AddressedName = {
  [Name in ChannelName]: (typeof channels)[Name]["addressed"] extends true ? Name : never;
}[ChannelName];
type GatewayTopic = ChannelName | `${AddressedName}/${string}`;

test("its topics are those of the gateway: a channel that it does not know is a compile error", () => {
  const isSame: [Topic, GatewayTopic] extends [GatewayTopic, Topic] ? true : false = true;
  expect(isSame).toBe(true);
  expect(Object.keys(channels).length).toBeGreaterThan(0);
});

/** The compiler tests this: a known type leaves no unknown transaction, whose members are others. */
function amountsOf(
  transaction:
    | EntryOf<"/transactions/confirmed">["transaction"]
    | Message<"confirmedAdded">["data"]["transaction"]
    | Message<"unconfirmedAdded/TALICE">["data"]["transaction"],
): readonly string[] {
  if (transaction.type === 16724) return transaction.mosaics.map(({ amount }) => amount);
  // Other types are not narrowed away.
  return transaction.type === 16712 ? [transaction.hash] : [String(transaction.type)];
}

test("the type of a transaction decides its members, in lists and in messages", () => {
  const common = { size: 1, signature: "", signerPublicKey: "", version: 1, network: 152, maxFee: "0", deadline: "0" };
  const transfer = { ...common, recipientAddress: "", mosaics: [{ id: "6", amount: "7" }] };
  expect(amountsOf({ ...transfer, type: 16724 })).toEqual(["7"]);
});

describe("requests", () => {
  const gateway = GatewayFixture.use(30);
  let client: GatewayClient;

  beforeAll(async () => {
    client = new GatewayClient(`${gateway.url}/`);
  });

  test("are typed by paths, and errors have code and status", async () => {
    const { height } = await client.get("/chain/info");
    expect(height).toBe("30");
    const { block } = await client.get("/blocks/{height}", { path: { height } });
    expect(block.height).toBe("30");
    // @ts-expect-error the path has a parameter
    await expect(client.get("/blocks/{height}")).rejects.toThrow(GatewayError);
    const missing = client.get("/blocks/{height}", { path: { height: "99" } });
    await expect(missing).rejects.toMatchObject({ code: "ResourceNotFound", status: 404, message: /99/ });
    const { data } = await client.get("/transactions/confirmed", { query: { type: [16724, 16705], pageSize: 10 } });
    const hashes = data.flatMap(({ meta }) => ("hash" in meta ? [meta.hash] : []));
    const statuses = await client.post("/transactionStatus", { body: { hashes } });
    expect(statuses.map(({ hash }) => hash)).toEqual(hashes);
    expect(await client.get("/metrics")).toContain("symbol_gateway_info");
    const rejected = client.put("/transactions", { body: { payload: "00" } });
    await expect(rejected).rejects.toMatchObject({ status: expect.any(Number) });
    const gone = new AbortController();
    gone.abort();
    await expect(client.get("/blocks", { signal: gone.signal })).rejects.toMatchObject({ name: "AbortError" });
  });

  test("lists are read to their end, by ids or by page numbers", async () => {
    for (const orderBy of ["id", "height"] as const) {
      const heights: string[] = [];
      const query = { order: "asc", pageSize: 10, orderBy } as const;
      for await (const { block } of client.entries("/blocks", { query })) heights.push(block.height);
      expect(heights).toEqual(Array.from({ length: 30 }, (_, below) => String(below + 1)));
    }
    const sizes: number[] = [];
    for await (const { data } of client.pages("/blocks", { query: { pageSize: 10, pageNumber: 2 } }))
      sizes.push(data.length);
    expect(sizes).toEqual([10, 10]);
  });
});

describe("subscriptions", () => {
  let database: TestDatabase;
  let writer: EventWriter;
  let gateway: TestGateway;
  const random = new SeededRandom();
  const user = randomAddress();

  beforeAll(async () => {
    database = await createMigratedDatabase();
    writer = new EventWriter(database.url);
    await writer.begin();
    const events = { pollIntervalMs: 200, backoff: { initialMs: 5, maxMs: 50 } };
    gateway = await TestGateway.start({ databaseUrl: database.url, events });
  });

  afterAll(async () => {
    await gateway?.close();
    await writer?.close();
    await database?.drop();
  });

  const topics = ["block", "status", `status/${user.text}`] as const satisfies Topic[];
  const block = (n: number): TestEvent => ({ channel: "block", data: { n } });
  const status = (n: number, isOfUser: boolean): TestEvent => ({
    channel: "status",
    data: { n },
    addresses: isOfUser ? [user.bytes] : [randomAddress().bytes],
  });

  /** Writes events and cuts connections, those of the database too. @returns the sequences of each topic */
  async function cutOften(cuts: number): Promise<Record<string, number[]>> {
    const expected: Record<string, number[]> = Object.fromEntries(topics.map((topic) => [topic, []]));
    const write = async (isBlock: boolean, isOfUser: boolean) => {
      const sequence = await writer.write(isBlock ? block(1) : status(1, isOfUser));
      for (const topic of isBlock ? ["block"] : isOfUser ? ["status", `status/${user.text}`] : ["status"]) {
        expected[topic]?.push(sequence);
      }
    };
    for (let cut = 0; cut < cuts; ) {
      await write(random.below(2) === 0, random.below(2) === 0);
      if (random.below(20) === 0) {
        await writer.query(
          `SELECT pg_terminate_backend(pid) FROM ${OWN_CONNECTIONS}
             WHERE application_name IN ('symbol-gateway events', 'test gateway')`,
        );
      }
      cut += Math.min(1, gateway.cut());
      await anyMoment(random, 12);
    }
    await write(true, false);
    await write(false, true);
    return expected;
  }

  test(`${CUTS} cuts: each message is received once and in order`, async () => {
    const client = new GatewayClient(httpOf(gateway), { WebSocket, ...RETRIES });
    const received: Record<string, number[]> = {};
    const errors: unknown[] = [];
    const subscriptions = topics.map((topic) => {
      const sequences: number[] = [];
      received[topic] = sequences;
      const receive = ({ sequence }: Numbered) => sequences.push(sequence);
      return client.subscribe(topic, receive, { onError: (error) => errors.push(error) });
    });
    await gateway.subscribed(topics.length);
    const expected = await cutOften(CUTS);
    const done = () => topics.every((topic) => received[topic]?.at(-1) === expected[topic]?.at(-1));
    await until(done, "the last messages");
    expect({ errors, received }).toEqual({ errors: [], received: expected });
    const last = subscriptions[0]!.next;
    for (const subscription of subscriptions) subscription.close();
    await gateway.subscribed(0);
    const again: number[] = [];
    const sequence = await writer.write(block(2));
    const resumed = client.subscribe("block", (message) => again.push(message.sequence), { from: last ?? 0 });
    expect(() => client.subscribe("block", () => undefined)).toThrow("block is subscribed already");
    await until(() => again.length === 1, "the message that was missed meanwhile");
    expect(again).toEqual([sequence]);
    resumed.close();
  });

  test("deleted events, an invalid topic and a failing handler are reported; the subscription continues", async () => {
    const first = await writer.write(block(1));
    const second = await writer.write(block(2));
    await writer.prune(first);
    // Others have the deleted event in memory.
    const later = await TestGateway.start({ databaseUrl: database.url });
    const client = new GatewayClient(httpOf(later), { WebSocket, ...RETRIES });
    const errors: unknown[] = [];
    const received: number[] = [];
    const onError = (error: unknown) => errors.push(error);
    const receive = ({ sequence }: Numbered) => {
      received.push(sequence);
      throw new Error("handler");
    };
    const subscription = client.subscribe("block", receive, { from: 1, onError });
    await until(() => errors.length === 2, "two errors");
    expect(errors).toMatchObject([{ code: "EventsMissed" }, { message: "handler" }]);
    expect(received).toEqual([second]);
    const errorsOfWrong: unknown[] = [];
    const wrong = client.subscribe("status/X", () => undefined, { onError: (error) => errorsOfWrong.push(error) });
    await until(() => errorsOfWrong.length > 0, "an error of the invalid topic");
    expect(errorsOfWrong).toMatchObject([{ code: "InvalidContent", message: /address/ }]);
    expect(errors).toHaveLength(2);
    wrong.close();
    subscription.close();
    await later.subscribed(0);
    await later.close();
  });

  test("a connection that dies without a sign is noticed by its missing heartbeats, and replaced", async () => {
    const beating = await TestGateway.start({ databaseUrl: database.url, limits: { heartbeatMs: 20 } });
    const client = new GatewayClient(httpOf(beating), { WebSocket: Freezable, ...RETRIES, silenceMs: 1_000 });
    const states: string[] = [];
    client.onConnection((state) => states.push(state));
    const received: number[] = [];
    const subscription = client.subscribe("block", ({ sequence }) => received.push(sequence));
    await beating.subscribed(1);
    // Longer than the silence, only heartbeats come. On a machine that stands still for so long, they come too late.
    await until(async () => {
      const count = states.length;
      return client.connection === "open" && !(await isWithin(1_500, () => states.length > count));
    }, "the connection stays");
    states.length = 0;
    Freezable.newest.isFrozen = true;
    await until(() => states.includes("open"), "another connection");
    expect(states).toEqual(["lost", "connecting", "open"]);
    const sequence = await writer.write(block(1));
    await until(() => received.length > 0, "a message");
    expect(received).toEqual([sequence]);
    subscription.close();
    await beating.close();
  });

  test("a failed connection is tried again at once after an error, without waiting for its end", async () => {
    let count = 0;
    /** As that of Node 22, whose `error` comes without `close`. */
    class Failing {
      onerror: (() => void) | null = null;
      constructor() {
        count += 1;
        setImmediate(() => this.onerror?.());
      }
      close(): void {
        // Nothing follows.
      }
    }
    const client = new GatewayClient("http://127.0.0.1:1", { WebSocket: Failing, ...RETRIES });
    const subscription = client.subscribe("block", () => undefined);
    // Without the error each attempt would last for 5 s.
    expect(await isWithin(8_000, () => count > 3)).toBe(true);
    subscription.close();
  });

  describeIfBrowser("in a browser", (browser) => {
    test(`${CUTS} cuts: each message is received once and in order`, async () => {
      const page = await browser.newPage();
      const origin = httpOf(gateway);
      await page.route(`${origin}/client/*`, (route) => {
        const name = new URL(route.request().url()).pathname.split("/").at(-1) ?? "";
        return route.fulfill({ body: textOf(name), contentType: "text/javascript" });
      });
      await page.goto(origin);
      await page.evaluate(`(async () => {
        const { GatewayClient } = await import("/client/index.js");
        const client = new GatewayClient(location.origin, ${JSON.stringify(RETRIES)});
        window.received = {};
        window.errors = [];
        for (const topic of ${JSON.stringify(topics)}) {
          const sequences = (window.received[topic] = []);
          client.subscribe(topic, ({ sequence }) => sequences.push(sequence), { onError: (error) => errors.push(String(error)) });
        }
      })()`);
      await gateway.subscribed(topics.length);
      const expected = await cutOften(CUTS);
      const received = () => page.evaluate("window.received") as Promise<Record<string, number[]>>;
      const done = async () => {
        const now = await received();
        return topics.every((topic) => now[topic]?.at(-1) === expected[topic]?.at(-1));
      };
      await until(done, "the last messages");
      expect({ errors: await page.evaluate("window.errors"), received: await received() }).toEqual({
        errors: [],
        received: expected,
      });
    });
  });
});
