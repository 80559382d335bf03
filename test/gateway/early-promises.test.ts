import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { makeExtensions } from "../../cli/parts/extensions.js";
import { openDatabase } from "../../database/connection.js";
import type { EventTopic } from "../../database/queries/events.js";
import { documents } from "../../explorer/documents/documents.js";
import { readPage } from "../../explorer/page-data.js";
import { selectBehaviour } from "../../gateway/compatibility/compatibility.js";
import { examples } from "../../gateway/rest/openapi.js";
import { routesIn } from "../../gateway/rest/routes/table.js";
import { EventFeed } from "../../schema/feed/event-feed.js";
import { PublishedEvent } from "../../schema/feed/published-event.js";
import { fillQueue } from "../../schema/webhooks/queue.js";
import { Webhooks } from "../../schema/webhooks/webhooks.js";
import { BreakingRelay } from "../support/breaking-relay.js";
import { createMigratedDatabase } from "../support/database.js";
import { executableAccount } from "../support/executable-chain.js";
import { SeededRandom } from "../support/seeded-random.js";
import { CHAIN_SEED } from "../support/served-chain.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";

// A promise that is started early and awaited later, or only sometimes, has a handler from its start: without one, its
// rejection is reported to the process, which ended gateways.

const unhandled: unknown[] = [];
const report = (error: unknown) => unhandled.push(error);

beforeAll(() => {
  process.on("unhandledRejection", report);
});

afterAll(() => {
  process.off("unhandledRejection", report);
});

/** Rejections are reported after the microtasks of a turn. */
async function expectAllHandled(): Promise<void> {
  for (let turn = 0; turn < 3; ++turn) await new Promise(setImmediate);
  expect(unhandled.splice(0)).toEqual([]);
}

const ADDRESS = encodeAddress(executableAccount(CHAIN_SEED, 0).address);
const PAGES = [
  "/",
  "/block/2",
  "/transaction/0000000002000000000000AA",
  `/transaction/${"A".repeat(64)}`,
  `/account/${ADDRESS}`,
  `/account/${"B".repeat(64)}`,
  "/mosaic/72C0212E67A08BCE",
  "/namespace/symbol.xym",
  "/namespace/E74B99BA41F4AFEE",
  "/search?q=symbol",
  ...["harvesters", "node", "nodes", "network", "blocks", "transactions", "pending", "accounts"].map(
    (name) => `/${name}`,
  ),
  "/transactions?from=nonsense",
];

describe("the data of a page", () => {
  /** What documents answer, as far as pages ask further because of it. */
  const answers = (importance: string) => ({
    network: { epochAdjustment: "1" },
    currency: { mosaicId: "72C0212E67A08BCE" },
    account: { address: ADDRESS, importance, mosaics: [{ mosaicId: "72C0212E67A08BCE" }], multisig: {} },
    head: { height: 3 },
    search: [
      { kind: "namespace", key: "E74B99BA41F4AFEE" },
      { kind: "account", key: ADDRESS },
    ],
  });
  const names = Object.keys({ ...documents.ofIndex, ...documents.ofNow });

  test.each(["0", "5"])(
    "of an account with importance %s, and of all others: each document fails once",
    async (importance) => {
      for (const path of PAGES) {
        const asked = new Set<string>();
        const read = (fails: (name: string) => boolean) =>
          readPage(new URL(path, "http://localhost"), async (name) => {
            asked.add(name);
            await new Promise(setImmediate);
            if (fails(name)) throw new Error(`${path}: ${name} failed`);
            return answers(importance);
          });
        expect(await read(() => false)).toBe(true);
        for (const failing of [...asked]) await read((name) => name === failing);
        await read(() => true);
        expect([...asked].filter((name) => !names.includes(name))).toEqual([]);
        await expectAllHandled();
      }
    },
  );

  test("is left out as a whole when its reader throws", async () => {
    await readPage(new URL("/account/%zz", "http://localhost"), async () => {
      throw new Error("failed");
    }).catch(() => undefined);
    await expectAllHandled();
  });
});

describe("the messages of a webhook", () => {
  test("whose feed ends while a batch is stored", async () => {
    const { url, drop } = await createMigratedDatabase();
    const db = openDatabase({ url, poolSize: 2 });
    try {
      const { id } = await new Webhooks(db, ["127.0.0.1"]).add({ url: "http://127.0.0.1:9/", topics: ["block"] });
      const row = () => db.selectFrom("webhooks").select("queued_through").executeTakeFirstOrThrow();
      const through = (await row()).queued_through;
      const sequence = through + 1;
      const event = new PublishedEvent({ sequence, channel: "block", height: 1, addresses: [], data: "{}" });
      const ignore = () => undefined;
      const events = async (topics: readonly EventTopic[]) => {
        const feed: EventFeed = new EventFeed(
          {
            ...{ readThrough: through, publishedThrough: through, follow: ignore, unfollow: ignore, forget: ignore },
            readPage: async () => undefined,
            tailFrom: () => {
              setImmediate(() => feed.fail(new Error("the connection is lost")));
              return [event];
            },
          },
          {},
        );
        for (const topic of topics) feed.add(topic, sequence);
        return feed;
      };
      const filling = fillQueue(
        { db, events: { events }, pollMs: 60_000, onStored: ignore },
        id,
        new AbortController().signal,
      );
      await expect(filling).rejects.toThrow("the connection is lost");
      expect((await row()).queued_through).toBe(sequence);
      await expectAllHandled();
    } finally {
      await db.destroy();
      await drop();
    }
  });
});

/** Rounds of requests, in which connections are cut. */
const ROUNDS = 12;
const AT_ONCE = 40;
/** Of the chunks between the gateway and its database. */
const CUT_PERCENT = 12;

describe("a gateway whose database connections are cut again and again, without files of the network", () => {
  const random = new SeededRandom();
  let relay: BreakingRelay;

  beforeAll(async () => {
    relay = await new BreakingRelay(process.env.TEST_POSTGRES_URL as string).open();
  });

  const gateway = GatewayFixture.use(20, async (database) => {
    const db = openDatabase({ url: database.url, poolSize: 1 });
    await new Webhooks(db, ["127.0.0.1"]).add({ url: "http://127.0.0.1:9/", topics: ["block"] });
    await db.destroy();
    return {
      databaseUrl: relay.through(database.url),
      deliversWebhooks: true,
      webhookPrivateNetworks: ["127.0.0.1"],
      resourcesDirectory: undefined,
      extensions: makeExtensions({ MESH_PATH: "/mesh" }),
    };
  });

  afterAll(() => relay?.close());

  /** A request of each route, each page, and each document. */
  function requests(): (() => Promise<unknown>)[] {
    const gets = routesIn(selectBehaviour("spec")).flatMap(({ method, path, operationId, work }) => {
      if (method !== "GET" || "stream" in work) return [];
      const { parameters = {} } = examples[operationId] ?? {};
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parameters[name] ?? 1)));
      return [filled];
    });
    const posts: [string, object][] = [
      ["/accounts", { addresses: [ADDRESS] }],
      ["/transactions/confirmed", { transactionIds: ["A".repeat(64)] }],
      ...[
        "blocks(first: 9) { data { height signer { address } transactions(first: 3) { data { id signer { address } } } } } indexStatus { height }",
        "a: transactionFees { average } b: network { epochAdjustment } c: block(height: 2) { hash }",
        `account(address: "${ADDRESS}") { mosaics { mosaicId } multisig { address } harvestIncome(intervalSeconds: 86400) { blocks } }`,
      ].map((fields): [string, object] => ["/graphql", { query: `{ ${fields} }` }]),
      ["/mesh/network/list", {}],
    ];
    return [
      ...gets.map((path) => () => gateway.get(path)),
      ...PAGES.map((path) => () => gateway.get(`/explorer/data?page=${encodeURIComponent(path)}`)),
      ...posts.map((request) => () => gateway.post(...request)),
    ];
  }

  test(`${ROUNDS} rounds`, async () => {
    const all = requests();
    for (let round = 0; round < ROUNDS; ++round) {
      relay.breaks = () => random.below(100) < CUT_PERCENT;
      await gateway.events.write({ channel: "block", data: { round } });
      await Promise.all(random.some(all, AT_ONCE).map((ask) => ask().catch(() => undefined)));
      await expectAllHandled();
    }
    relay.breaks = () => false;
    expect(relay.broken).toBeGreaterThan(ROUNDS);
    await until(async () => (await gateway.get("/blocks/3")).status === 200, "the gateway has its database again");
    await expectAllHandled();
  });
});
