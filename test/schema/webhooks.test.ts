import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { addressOfPublicKey, encodeAddress } from "../../catapult/entity/address.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { EventReader } from "../../schema/feed/event-reader.js";
import { ReceiverAddresses } from "../../schema/webhooks/addresses.js";
import { type DeliveryTimes, WebhookDeliverer } from "../../schema/webhooks/deliverer.js";
import { pruneMessages } from "../../schema/webhooks/queued-messages.js";
import { describeTopic, Webhooks } from "../../schema/webhooks/webhooks.js";
import { silentLog } from "../support/connection-fixtures.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { EventWriter } from "../support/event-writer.js";
import { SeededRandom } from "../support/seeded-random.js";
import { until } from "../support/until.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";

/** Kills of the delivering process; a thousand by `TEST_WEBHOOK_KILLS=1000`. */
const KILLS = Number(process.env.TEST_WEBHOOK_KILLS ?? 2);
/** Generous: with this number of kills the whole test takes longer. */
const MS_PER_KILL = 3_000;
const EVENTS_PER_KILL = 20;
const LOCAL = ["127.0.0.1"];
const QUICK: Partial<DeliveryTimes> = { pollMs: 20, answerMs: 20_000, firstRetryMs: 5, maxRetryMs: 50 };
/** Of receivers that hang. */
const SHORT_ANSWER = { ...QUICK, answerMs: 1_000 };
const HOUR = 3_600_000;
const TESTNET = 152;

let database: TestDatabase;
let db: Db;
let events: EventWriter;
let webhooks: Webhooks;
let receiver: WebhookReceiver;
let deliverers: WebhookDeliverer[];
let readers: EventReader[];

beforeEach(async () => {
  database = await createMigratedDatabase();
  db = openDatabase({ url: database.url, poolSize: 2 });
  events = new EventWriter(database.url);
  await events.begin();
  webhooks = new Webhooks(db, LOCAL);
  receiver = new WebhookReceiver();
  await receiver.listen();
  deliverers = [];
  readers = [];
});

afterEach(async () => {
  await Promise.all(deliverers.map((one) => one.close()));
  await Promise.all(readers.map((one) => one.close()));
  await receiver.close().catch(() => undefined);
  await events.close();
  await db.destroy();
  await database.drop();
});

function deliver(times: Partial<DeliveryTimes> = {}, privateNetworks: readonly string[] = LOCAL): void {
  const reader = new EventReader({ url: database.url, db, log: silentLog, settings: { pollIntervalMs: 50 } });
  readers.push(reader);
  void reader.start();
  const options = {
    databaseUrl: database.url,
    events: reader,
    log: silentLog,
    privateNetworks,
    times: { ...QUICK, ...times },
  };
  const deliverer = new WebhookDeliverer(options);
  deliverers.push(deliverer);
  deliverer.start();
}

async function add(options: Partial<Parameters<Webhooks["add"]>[0]> = {}): Promise<number> {
  const { id, secret } = await webhooks.add({ url: receiver.url, topics: ["block"], ...options });
  receiver.secret = secret;
  return id;
}

const block = (height: number, name = "") => ({ channel: "block", height, data: { height, name } }) as const;
const setHead = (height: number, finalized = 0) =>
  db.updateTable("head").set({ height, finalized_height: finalized }).execute();
const arrived = (count: number) => until(() => receiver.received.length >= count, `${count} messages arrived`);
/** Types and heights of what arrived. */
const seen = () => receiver.received.map(({ type, data }) => `${type} ${data.height ?? ""}${data.name ?? ""}`);

test(
  `receivers that fail, hang and die, and ${KILLS} kills of the process: nothing lost, in order, duplicates with the same id`,
  async () => {
    const random = new SeededRandom();
    const address = Buffer.alloc(24, 0x98);
    await add({ topics: ["confirmedAdded", "status"] });
    receiver.react = () => {
      const drawn = random.below(100);
      return drawn < 70 ? 200 : drawn < 85 ? 500 : drawn < 99 ? "cut" : "hang";
    };
    const program = fileURLToPath(new URL("../support/webhook-process.js", import.meta.url));
    let newest = 0;
    for (let kill = 0; kill <= KILLS; kill++) {
      const child = fork(program, [database.url, JSON.stringify(SHORT_ANSWER)], { stdio: "ignore" });
      for (let count = 0; count < EVENTS_PER_KILL; count += 20) {
        const some = Array.from({ length: 20 }, (_, index) => ({
          channel: index % 3 === 0 ? ("status" as const) : ("confirmedAdded" as const),
          addresses: [address],
          data: { count: count + index },
        }));
        newest = await events.write(...some, { channel: "unconfirmedAdded", data: {} });
      }
      if (kill === 0) {
        await arrived(5);
        await receiver.close();
        await receiver.listen();
      }
      const hasEnded = async () => (await webhooks.list())[0]?.open === 0;
      const before = receiver.received.length;
      // In the middle of its work; the last time when everything has arrived.
      const isMoment =
        kill === KILLS
          ? async () => (receiver.received.at(-1)?.sequence ?? 0) >= newest - 1 && hasEnded()
          : async () => receiver.received.length > before + 5 || hasEnded();
      await until(isMoment, "messages arrive", undefined, () => receiver.received.length);
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    }
    expect(receiver.problems).toEqual([]);
    const first = new Map<string, number>();
    for (const [place, { id, sequence }] of receiver.received.entries()) {
      const known = first.get(id);
      // A duplicate may only repeat the newest message.
      if (known !== undefined) expect(receiver.received[place - 1]?.id).toBe(id);
      else first.set(id, sequence!);
    }
    const rounds = (KILLS + 1) * (EVENTS_PER_KILL / 20);
    const expected = Array.from({ length: rounds * 21 }, (_, index) => index + 1).filter((one) => one % 21 !== 0);
    expect([...first.values()]).toEqual(expected);
    expect(receiver.received.length).toBeGreaterThan(expected.length);
  },
  600_000 + KILLS * MS_PER_KILL,
);

describe("a fork", () => {
  test("causes a dropped message with the ids of what was delivered", async () => {
    await add();
    await events.write(block(1), block(2), block(3));
    await setHead(3);
    deliver();
    // Another process is on standby: nothing is delivered twice.
    deliver();
    await arrived(3);
    const ids = receiver.received.map(({ id }) => id);
    await events.write({ channel: "droppedBlocks", height: 1, data: {} }, block(2, "b"), block(3, "b"));
    await arrived(6);
    expect(seen()).toEqual(["block 1", "block 2", "block 3", "dropped 1", "block 2b", "block 3b"]);
    expect(receiver.received[3]?.data).toEqual({ height: "1", ids: ids.slice(1) });
    // What is final cannot be dropped: it is forgotten.
    await setHead(3, 2);
    await pruneMessages(db, HOUR);
    await events.write({ channel: "droppedBlocks", height: 2, data: {} }, block(3, "c"));
    await arrived(8);
    expect(receiver.received[6]?.data).toEqual({ height: "2", ids: [receiver.received[5]?.id] });
    expect(receiver.problems).toEqual([]);
  });

  test("drops what waits for confirmations or finality without a message", async () => {
    await add({ confirmations: 2 });
    await setHead(3);
    await events.write(block(1), block(2), block(3));
    deliver();
    await arrived(1);
    await events.write({ channel: "droppedBlocks", height: 1, data: {} }, block(2, "b"), block(3, "b"), block(4, "b"));
    await setHead(4);
    await arrived(2);
    expect(seen()).toEqual(["block 1", "block 2b"]);
    await add({ awaitsFinality: true });
    await events.write(block(5, "b"), block(6, "b"));
    await setHead(6, 5);
    await arrived(5);
    expect(seen().slice(2).toSorted()).toEqual(["block 3b", "block 4b", "block 5b"]);
  });

  test("that is not yet read does not let a message of a dropped block pass as final", async () => {
    await add({ awaitsFinality: true });
    deliver();
    await events.write(block(1), block(2, "old"));
    await until(async () => (await webhooks.list())[0]?.open === 2, "both wait");
    // Drop and finalization become visible together.
    await db.transaction().execute(async (trx) => {
      await trx.updateTable("head").set({ height: 2, finalized_height: 2, event_sequence: 4 }).execute();
      await trx
        .insertInto("events")
        .values([
          { sequence: 3, channel: "droppedBlocks", height: 1, addresses: [], data: "{}" },
          { sequence: 4, channel: "block", height: 2, addresses: [], data: '{"height":2,"name":"new"}' },
        ])
        .execute();
    });
    await arrived(2);
    expect(seen()).toEqual(["block 1", "block 2new"]);
  });
});

test("a message is given up after a while, the next ones follow, and it can be replayed", async () => {
  const id = await add();
  receiver.react = () => (receiver.received.at(-1)?.data.height === 1 ? 503 : 200);
  deliver({ giveUpMs: 0 });
  await events.write(block(1), block(2));
  await arrived(2);
  await until(async () => (await webhooks.list())[0]?.open === 0, "the second is delivered");
  expect((await webhooks.list())[0]).toMatchObject({ dead: 1, open: 0 });
  receiver.react = () => 200;
  expect(await webhooks.replay(id)).toBe(1);
  await arrived(3);
  expect(receiver.received[2]?.id).toBe(receiver.received[0]?.id);
  await until(async () => (await webhooks.list())[0]?.dead === 0, "it is delivered");
  await webhooks.remove(id);
  await expect(webhooks.replay(id)).rejects.toThrow(/no resource exists/);
});

test("410 gives up everything, and Retry-After delays the next attempt until send-now", async () => {
  const topics = ["block", `confirmedAdded/${encodeAddress(addressOfPublicKey(Buffer.alloc(32, 1), TESTNET))}`];
  const id = await add({ topics });
  expect((await webhooks.list())[0]?.topics.map(describeTopic)).toEqual(topics);
  receiver.react = () => ({ status: 503, retryAfter: "3600" });
  deliver();
  await events.write(block(1), block(2));
  const problem = async () => (await webhooks.list())[0]?.problem;
  await until(async () => (await problem()) === "the receiver answered 503", "the attempt failed");
  const { next_attempt_at: next } = await db
    .selectFrom("webhook_messages")
    .select("next_attempt_at")
    .orderBy("number")
    .limit(1)
    .executeTakeFirstOrThrow();
  expect(Number(next) - Date.now()).toBeGreaterThan(HOUR / 2);
  expect(seen()).toEqual(["block 1"]);
  receiver.react = () => 410;
  expect(await webhooks.sendNow(id)).toBe(2);
  await until(async () => (await webhooks.list())[0]?.dead === 2, "both are given up");
  expect(seen()).toEqual(["block 1", "block 1"]);
  expect(await webhooks.ping(id)).toBe("the receiver answered 410");
  receiver.react = () => 204;
  expect(await webhooks.ping(id)).toBeUndefined();
  expect(receiver.received.at(-1)?.type).toBe("ping");
  expect(receiver.problems).toEqual([]);
  await expect(webhooks.ping(id + 1)).rejects.toThrow(/no resource exists/);
  await expect(webhooks.sendNow(id + 1)).rejects.toThrow(/no resource exists/);
});

test("events that were deleted before they were read are reported as missed", async () => {
  await add();
  await events.write(block(1), block(2), block(3));
  await db.deleteFrom("events").where("sequence", "<=", 2).execute();
  deliver();
  await arrived(2);
  expect(receiver.received.map(({ type, data }) => [type, data.toSequence])).toEqual([
    ["missed", "2"],
    ["block", undefined],
  ]);
});

describe("receivers", () => {
  const WRONG_URLS = [
    ["http://127.0.0.1:1/", "InvalidArgument"],
    ["http://[::1]/", "InvalidArgument"],
    ["http://[::ffff:10.0.0.1]/", "InvalidArgument"],
    ["http://2130706433/", "InvalidArgument"],
    ["http://localhost/", "InvalidArgument"],
    ["https://user:word@example.com/", "InvalidArgument"],
    ["ftp://example.com/", "InvalidContent"],
    ["nonsense", "InvalidContent"],
  ] as const;
  const WRONG_TOPICS: [string[], Partial<Parameters<Webhooks["add"]>[0]>, string][] = [
    [["blocks"], {}, "InvalidArgument"],
    [["block/NAR3W7B4BCOZSZMFIZRYB3N5YGOUSWIYJCJ6HDA"], {}, "InvalidArgument"],
    [["confirmedAdded/nonsense"], {}, "InvalidContent"],
    [["unconfirmedAdded"], { confirmations: 1 }, "InvalidArgument"],
    [["block"], { confirmations: 1, awaitsFinality: true }, "InvalidArgument"],
    [["block"], { secret: "whsec_c2hvcnQ=" }, "InvalidContent"],
    [[], {}, "InvalidArgument"],
  ];

  test("with wrong URLs, topics or options are rejected", async () => {
    for (const [url, code] of WRONG_URLS) {
      const adding = new Webhooks(db).add({ url, topics: ["block"] });
      const result = await adding.catch((error: unknown) => (error as { code: string }).code);
      expect([url, result]).toEqual([url, code]);
    }
    for (const [topics, options, code] of WRONG_TOPICS) {
      const result = await add({ topics, ...options }).catch((error: unknown) => (error as { code: string }).code);
      expect([topics, options, result]).toEqual([topics, options, code]);
    }
    expect(await webhooks.list()).toEqual([]);
  });

  test("with names of private addresses receive nothing, and redirects are not followed", async () => {
    const other = new WebhookReceiver();
    await other.listen();
    receiver.react = () => ({ redirect: other.url });
    // The setting has changed since.
    const { id } = await new Webhooks(db, ["127.0.0.1", "::1"]).add({
      url: receiver.url.replace("127.0.0.1", "localhost"),
      topics: ["block"],
    });
    deliver({}, []);
    await events.write(block(1));
    const problem = async () => (await webhooks.list())[0]?.problem ?? "";
    await until(async () => (await problem()).includes("is not a public address"), "the address is rejected");
    expect(receiver.received).toEqual([]);
    await webhooks.remove(id);
    await Promise.all(deliverers.splice(0).map((one) => one.close()));
    await add();
    deliver();
    await events.write(block(2));
    await until(async () => (await problem()) === "the receiver answered 302", "the redirect is not followed");
    expect(other.received).toEqual([]);
    await other.close();
  });

  test("are at public addresses, or where a setting allows them", () => {
    const all = new ReceiverAddresses();
    for (const address of ["8.8.8.8", "2606:4700::1111", "172.32.0.1", "100.128.0.1"]) {
      expect([address, all.has(address)]).toEqual([address, true]);
    }
    const rejected = `10.1.2.3 127.0.0.1 0.0.0.0 169.254.169.254 172.31.255.255 192.168.0.1 100.64.0.1 224.0.0.1
      255.255.255.255 ::1 :: fe80::1 fd00::1 ::ffff:8.8.8.8 64:ff9b::a00:1 2002:a00:1:: 2001:db8::1 2001::1 ff02::1
      localhost`.split(/\s+/);
    for (const address of [...rejected, ""]) expect([address, all.has(address)]).toEqual([address, false]);
    const some = new ReceiverAddresses(["10.0.0.0/8", "fd00::/8", "127.0.0.1"]);
    for (const address of ["10.1.2.3", "fd00::1", "127.0.0.1"]) expect(some.has(address)).toBe(true);
    expect(some.has("127.0.0.2")).toBe(false);
  });
});
