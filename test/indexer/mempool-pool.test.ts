import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { NodeError } from "../../catapult/wire/errors.js";
import { recordAnnouncement } from "../../database/mempool/announcements.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { NodePoolReader } from "../../indexer/mempool/node-pool.js";
import { DEFAULT_RETENTION, prune } from "../../indexer/mempool/prune.js";
import { silentLog } from "../support/connection-fixtures.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { TransactionMaker } from "../support/transaction-maker.js";
import { until } from "../support/until.js";

/** Bytes: less than four transfers, or two aggregates. */
const SMALL_ANSWER = 700;

describe("a node that returns its pool in small pieces", () => {
  let fixture: DevnetFixture;
  let index: IndexedDatabase;
  let make: TransactionMaker;
  let alice: DevnetAccount;
  let bob: DevnetAccount;
  const log = new LogLines();

  beforeAll(async () => {
    const rules = {
      unconfirmedTransactionsCacheMaxResponseSize: SMALL_ANSWER,
      partialTransactionsCacheMaxResponseSize: SMALL_ANSWER,
    };
    fixture = await DevnetFixture.start({ rules });
    make = new TransactionMaker(fixture.devnet);
    [alice, bob] = ["alice", "bob"].map((name) => fixture.account(name)) as [DevnetAccount, DevnetAccount];
    index = await IndexedDatabase.create();
    await index.follow(fixture.devnet, { log: log.logger });
  });

  afterAll(async () => {
    await index.drop();
    await fixture.stop();
  });

  const transfer = (amount: bigint) => ({
    type: "transfer_transaction_v1",
    recipientAddress: new Uint8Array(bob.address),
    mosaics: [{ mosaicId: fixture.devnet.currencyMosaicId, amount }],
  });
  const count = async (group: "unconfirmed" | "partial") => {
    const rows = await index.db
      .selectFrom(`${group}_transactions`)
      .select("id")
      .where("embedded", "=", false)
      .execute();
    return rows.length;
  };
  const told = async (channel: "unconfirmedRemoved" | "partialRemoved") =>
    (await index.db.selectFrom("events").select("sequence").where("channel", "=", channel).execute()).length;

  test("all of it is found, and nothing is considered removed", async () => {
    for (let amount = 1n; amount <= 12n; amount += 1n)
      fixture.devnet.announce(make.transaction(alice, transfer(amount)));
    await until(async () => (await count("unconfirmed")) === 12, "all are indexed");
    const reader = new NodePoolReader({ node: fixture.client, network: fixture.devnet.network });
    const pool = await reader.read();
    expect(pool.unconfirmed.size).toBe(12);
    expect(pool.isWhole).toEqual({ unconfirmed: true, partial: true });
    await fixture.devnet.harvest(1);
    await until(async () => (await count("unconfirmed")) === 0, "all are confirmed");
    expect(await told("unconfirmedRemoved")).toBe(12);
  });

  test("partial ones too, with their cosignatures", async () => {
    for (let amount = 1n; amount <= 5n; amount += 1n) {
      const embedded = [make.embedded(alice, transfer(amount)), make.embedded(bob, transfer(amount))];
      const payload = make.aggregate({ embedded, signer: alice, isBonded: true }, { cosignaturesToCome: 1 });
      const lock = {
        type: "hash_lock_transaction_v1",
        mosaic: { mosaicId: fixture.devnet.currencyMosaicId, amount: 10_000_000n },
        duration: 100n,
        hash: new Uint8Array(make.hashOf(payload)),
      };
      fixture.devnet.announce(make.transaction(alice, lock));
      await fixture.devnet.harvest(1);
      fixture.devnet.announcePartial(payload);
    }
    await until(async () => (await count("partial")) === 5, "all are indexed");
    const hashes = (
      await index.db.selectFrom("partial_transactions").select("hash").where("hash", "is not", null).execute()
    ).map(({ hash }) => hash!);
    for (const hash of hashes) fixture.devnet.announceCosignature(make.cosignature(bob, hash));
    await until(async () => (await count("unconfirmed")) === 5, "all are complete");
    expect(await count("partial")).toBe(0);
    const cosignatures = await index.db
      .selectFrom("events")
      .select("sequence")
      .where("channel", "=", "cosignature")
      .execute();
    expect(cosignatures).toHaveLength(5);
    expect(await told("partialRemoved")).toBe(5);
    expect(log.matching(/"level":(40|50)/)).toEqual([]);
  });
});

describe("a node that has no partial transactions", () => {
  const asked: string[] = [];
  let now = 0;
  const node = {
    unconfirmedTransactions: async () => {
      asked.push("unconfirmed");
      return [];
    },
    partialTransactions: async () => {
      asked.push("partial");
      throw new NodeError("test:1", "closed the connection");
    },
  };
  const reader = new NodePoolReader({
    node,
    network: { identifier: 152, generationHashSeed: Buffer.alloc(32) },
    clock: () => now,
  });

  test("is queried for them twice, and then only after an increasing pause", async () => {
    await expect(reader.read()).rejects.toThrow("closed the connection");
    await expect(reader.read()).rejects.toThrow("closed the connection");
    asked.length = 0;
    const { isWhole } = await reader.read();
    expect(isWhole).toEqual({ unconfirmed: true, partial: false });
    expect(asked).toEqual(["unconfirmed"]);
    now = 60_000;
    await expect(reader.read()).rejects.toThrow("closed the connection");
    now = 2 * 60_000;
    await reader.read();
    now = 3 * 60_000;
    await expect(reader.read()).rejects.toThrow("closed the connection");
  });
});

describe("stored data are bounded", () => {
  let index: IndexedDatabase;

  beforeAll(async () => {
    index = await IndexedDatabase.create();
  });

  afterEach(async () => {
    await index.db.deleteFrom("transaction_statuses").execute();
  });

  afterAll(() => index.drop());

  const remaining = async (table: "transaction_statuses" | "awaited_transactions" | "announcements") =>
    (await index.db.selectFrom(table).select("hash").orderBy("hash").execute()).map(({ hash }) => hash[0]);

  test("of statuses the oldest are deleted, and those that are too old", async () => {
    await sql`
      insert into transaction_statuses (hash, code, deadline, from_node, recorded_at)
      select decode(lpad(to_hex(n), 2, '0') || repeat('00', 31), 'hex'), 'Failure', 0, true, now() - make_interval(days => 40 - n)
      from generate_series(1, 39) n`.execute(index.db);
    await prune(index.db, DEFAULT_RETENTION, silentLog);
    expect(await remaining("transaction_statuses")).toEqual(range(11, 39));
    await prune(index.db, { ...DEFAULT_RETENTION, statuses: 5 }, silentLog);
    expect(await remaining("transaction_statuses")).toEqual(range(35, 39));
  });

  test("of awaited transactions and announcements those that end first are deleted", async () => {
    for (let n = 1; n <= 9; n += 1) {
      const hash = Buffer.alloc(32, n);
      await recordAnnouncement(index.db, {
        hash,
        kind: "transaction",
        payload: Buffer.alloc(128),
        deadline: 1_000 + n,
      });
      await index.db
        .insertInto("awaited_transactions")
        .values({ hash, group: "unconfirmed", deadline: 1_000 + n, addresses: [], since: new Date() })
        .execute();
    }
    await prune(index.db, { ...DEFAULT_RETENTION, awaited: 4, announcements: 3 }, silentLog);
    expect(await remaining("awaited_transactions")).toEqual(range(6, 9));
    expect(await remaining("announcements")).toEqual(range(7, 9));
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
