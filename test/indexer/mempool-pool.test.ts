import { mock } from "node:test";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { models } from "symbol-sdk/symbol";
import { NodeError } from "../../catapult/wire/errors.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { recordAnnouncement } from "../../database/mempool/announcements.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { MAX_POOL_ENTRIES, MAX_POOL_SIZE, NodePoolReader } from "../../indexer/mempool/node-pool.js";
import { DEFAULT_RETENTION, prune } from "../../indexer/mempool/prune.js";
import { IndexerMetrics } from "../../indexer/metrics/metrics.js";
import { silentLog } from "../support/connection-fixtures.js";
import { DevnetFixture, signedPayload, type TransactionFields } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { TransactionMaker } from "../support/transaction-maker.js";
import { isWithin, until } from "../support/until.js";

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
      .selectFrom("pending_transactions")
      .where("group", "=", group)
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
    const reader = new NodePoolReader(fixture.client, { network: fixture.devnet.network, log: silentLog });
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
      await index.db
        .selectFrom("pending_transactions")
        .select("hash")
        .where("group", "=", "partial")
        .where("hash", "is not", null)
        .execute()
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

/** A devnet, and an empty index, for one test. */
async function within(work: (fixture: DevnetFixture, index: IndexedDatabase) => Promise<void>): Promise<void> {
  const fixture = await DevnetFixture.start();
  const index = await IndexedDatabase.create();
  try {
    await work(fixture, index);
  } finally {
    await index.drop();
    await fixture.stop();
  }
}

const NETWORK = { identifier: 152, generationHashSeed: Buffer.alloc(32) };

describe("a node that has no partial transactions", () => {
  const asked: string[] = [];
  let now = 0;
  const node = {
    connectedNode: undefined,
    unconfirmedTransactions: async () => {
      asked.push("unconfirmed");
      return [];
    },
    partialTransactions: async () => {
      asked.push("partial");
      throw new NodeError("test:1", "closed the connection");
    },
  };
  const reader = new NodePoolReader(node, { network: NETWORK, log: silentLog });

  test("is queried for them twice, and then only after an increasing pause", async () => {
    const clock = mock.method(performance, "now", () => now);
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
    clock.mock.restore();
  });
});

/** Processor time that this process takes between two moments at which other work has its turn. */
class Turns {
  longest = 0;
  total = 0;
  #since = process.cpuUsage();
  #hasEnded = false;

  constructor() {
    const turn = () => {
      this.#count();
      if (!this.#hasEnded) setImmediate(turn);
    };
    setImmediate(turn);
  }

  end(): void {
    this.#count();
    this.#hasEnded = true;
  }

  #count(): void {
    const { user, system } = process.cpuUsage(this.#since);
    this.longest = Math.max(this.longest, user + system);
    this.total += user + system;
    this.#since = process.cpuUsage();
  }
}

describe("a node whose pool is junk", () => {
  /** The same bytes each time, so they are quickly made; different in the first ones, which the hash covers. */
  const junk = (count: number, size: number, seed: number) => {
    const bytes = Buffer.alloc(count * size, seed + 1);
    return Array.from({ length: count }, (_, i) => {
      bytes.writeUInt32LE(size, i * size);
      bytes.writeUInt32LE(i, i * size + 8);
      return bytes.subarray(i * size, (i + 1) * size);
    });
  };

  test.each([
    ["many small ones", 60_000, 136, 2, MAX_POOL_ENTRIES],
    ["large ones", 2_000, 4_096, 5, MAX_POOL_SIZE / 4_096],
  ])(
    "%s: what exceeds the limits is ignored, and the process is not blocked",
    async (_name, count, size, answers, most) => {
      const prepared = Array.from({ length: answers + 1 }, (_, i) => junk(count, size, i));
      let asked = 0;
      const unconfirmedTransactions = async () => prepared[asked++]!;
      const node = { unconfirmedTransactions, partialTransactions: async () => [], connectedNode: undefined };
      const reader = new NodePoolReader(node, { network: NETWORK, log: silentLog });
      const turns = new Turns();
      const pool = await reader.read();
      turns.end();
      expect(pool.unconfirmed.size).toBe(most);
      expect(pool).toMatchObject({ isTooLarge: true, isWhole: { unconfirmed: false } });
      expect(asked).toBe(answers);
      // 10 ms each: without slices, one takes all.
      expect(turns.longest).toBeLessThan(turns.total / 3);
    },
  );

  test.each([
    ["more than the limit at once", junk(70_000, 136, 7)],
    ["as much as possible", junk(60_000, 136, 8)],
  ])("%s: it is reported and ignored, following continues, and clients get nothing of it", (_name, pool) =>
    within(async (fixture, index) => {
      const log = new LogLines();
      const metrics = new IndexerMetrics("0.0.0");
      let asked = 0;
      const answer = Buffer.concat(pool);
      fixture.devnet.handlers.set(PacketType.pullTransactions, () => {
        asked += 1;
        return answer;
      });
      await index.follow(fixture.devnet, { log: log.logger, metrics });
      await log.waitFor(/Ignoring the pending transactions of a node/);
      const asks = asked;
      await fixture.devnet.harvest(3);
      await index.waitForHash(fixture.devnet.block(4).hash);
      expect(asked).toBe(asks);
      expect((await metrics.print()).text).toContain('symbol_indexer_rejected_data_total{reason="pool"} 1');
      expect(await index.db.selectFrom("pending_transactions").select("id").execute()).toEqual([]);
      expect(
        await index.db.selectFrom("events").select("channel").where("channel", "=", "unconfirmedAdded").execute(),
      ).toEqual([]);
    }),
  );

  test("signed transactions that break a rule without state are not stored", () =>
    within(async (fixture, index) => {
      const log = new LogLines();
      const { devnet } = fixture;
      const alice = fixture.account("alice");
      const tooHighFee: TransactionFields["change"] = (transaction) => {
        transaction.fee = new models.Amount(1n << 62n);
      };
      const pool = [{ change: tooHighFee }, { amount: 2n }].map((fields) => signedPayload(devnet, alice, fields));
      devnet.handlers.set(PacketType.pullTransactions, () => Buffer.concat(pool));
      await index.follow(devnet, { log: log.logger });
      await log.waitFor(/Invalid_Transaction_Fee.*Rejected an invalid transaction of the node's pool/);
      const stored = () => index.db.selectFrom("pending_transactions").select("hash").execute();
      await until(async () => (await stored()).length > 0, "the valid one is stored");
      expect(await stored()).toHaveLength(1);
    }));
});

describe("at the height from which aggregates have version 3 only", () => {
  const FORK = 5;
  let fixture: DevnetFixture;
  let index: IndexedDatabase;
  const log = new LogLines();
  let polls = 0;

  beforeEach(async () => {
    fixture = await DevnetFixture.start({ rules: { uniqueAggregateTransactionHash: FORK } });
    index = await IndexedDatabase.create();
  });

  afterEach(async () => {
    await index.drop();
    await fixture.stop();
    expect(log.matching(/Rejected an invalid transaction|Ignoring the pending transactions/)).toEqual([]);
  });

  const aggregates = (version: 2 | 3, count: number) => {
    const make = new TransactionMaker(fixture.devnet);
    const [alice, bob] = ["alice", "bob"].map((name) => fixture.account(name)) as [DevnetAccount, DevnetAccount];
    return Array.from({ length: count }, (_, amount) => {
      const mosaics = [{ mosaicId: fixture.devnet.currencyMosaicId, amount: BigInt(amount + 1) }];
      const transfer = { type: "transfer_transaction_v1", recipientAddress: new Uint8Array(bob.address), mosaics };
      return make.aggregate({ embedded: [make.embedded(alice, transfer)], signer: alice, version });
    });
  };
  const stored = () =>
    index.db.selectFrom("pending_transactions").select("hash").where("embedded", "=", false).execute();

  async function followWith(pool: readonly Buffer[]): Promise<void> {
    fixture.devnet.handlers.set(PacketType.pullTransactions, () => {
      polls += 1;
      return Buffer.concat(pool);
    });
    await index.follow(fixture.devnet, { log: log.logger });
  }

  test("many of version 2, which nodes keep, are ignored and nothing else", async () => {
    await fixture.devnet.harvest(FORK);
    await followWith([...aggregates(2, 120), ...aggregates(3, 1)]);
    await until(async () => (await stored()).length > 0, "the one of version 3 is stored");
    const before = polls;
    await until(() => polls > before + 2, "the pool is read again");
    expect(await stored()).toHaveLength(1);
  });

  test("an index that lacks the node's newest block knows what the node's next one may have", async () => {
    const { devnet } = fixture;
    await devnet.harvest(FORK - 2 - devnet.height);
    const pool: Buffer[] = [];
    await followWith(pool);
    await index.waitForHash(devnet.block(FORK - 2).hash);
    devnet.handlers.set(PacketType.pullBlocks, () => Buffer.alloc(0));
    await devnet.harvest(1);
    pool.push(...aggregates(3, 1));
    await until(async () => (await stored()).length > 0, "the one of version 3 is stored");
    expect((await index.waitFor(() => true)).height).toBe(FORK - 2);
  });
});

test("a node whose clock is a year ahead ends no pending transaction", () =>
  within(async (fixture, index) => {
    const { devnet } = fixture;
    const clock = devnet.handlers.get(PacketType.timeSyncNetworkTime)!;
    let asked = 0;
    devnet.handlers.set(PacketType.timeSyncNetworkTime, async (...request) => {
      asked += 1;
      const answer = Buffer.from((await clock(...request)) as Buffer);
      for (const offset of [0, 8]) answer.writeBigUInt64LE(answer.readBigUInt64LE(offset) + 31_536_000_000n, offset);
      return answer;
    });
    devnet.announce(signedPayload(devnet, fixture.account("alice"), { amount: 1n }));
    await index.follow(devnet);
    const stored = () => index.db.selectFrom("pending_transactions").select("hash").execute();
    await until(async () => asked > 0 && (await stored()).length > 0, "it is stored, and the clock was read");
    // Deadlines are checked every 40 ms here.
    expect(await isWithin(500, async () => (await stored()).length !== 1)).toBe(false);
    expect(await index.db.selectFrom("transaction_statuses").select("code").execute()).toEqual([]);
  }));

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

  test("of awaited transactions and announcements those that end last are deleted, so that a flood does not push out others", async () => {
    for (let n = 1; n <= 9; n += 1) {
      const hash = Buffer.alloc(32, n);
      const announcement = { hash, kind: "transaction", payload: Buffer.alloc(128), deadline: 1_000 + n } as const;
      await recordAnnouncement(index.db, announcement, Buffer.alloc(32));
      await index.db
        .insertInto("awaited_transactions")
        .values({ hash, group: "unconfirmed", deadline: 1_000 + n, addresses: [], since: new Date() })
        .execute();
    }
    await prune(index.db, { ...DEFAULT_RETENTION, awaited: 4, announcements: 3 }, silentLog);
    expect(await remaining("awaited_transactions")).toEqual(range(1, 4));
    expect(await remaining("announcements")).toEqual(range(1, 3));
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
