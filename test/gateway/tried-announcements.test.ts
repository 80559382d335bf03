import { beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import type { BlockTransaction } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import type { SimulationBody } from "../../catapult/json/simulation.js";
import type { TransactionStatusBody } from "../../catapult/json/transaction-status.js";
import { NodeResources } from "../../catapult/network/node-resources.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { MAX_HELD_OF_CLIENT } from "../../database/mempool/announcements.js";
import { readHead } from "../../database/queries/head.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { DryRunLimitError } from "../../ledger/engine/dry-run.js";
import { Announcer } from "../../schema/dry-runs/announcer.js";
import type { DryRunThreads } from "../../schema/dry-runs/dry-run-threads.js";
import { DryRuns } from "../../schema/dry-runs/dry-runs.js";
import { NetworkRules } from "../../schema/dry-runs/network-rules.js";
import { StoredShare } from "../../schema/dry-runs/stored-share.js";
import { aggregateToMany, newParty } from "../support/costly-aggregate.js";
import { OWN_CONNECTIONS } from "../support/own-catalogues.js";
import { RestStack } from "../support/rest-stack.js";
import { SeededRandom } from "../support/seeded-random.js";
import { startTestGateway } from "../support/test-gateway.js";
import { TransactionMaker } from "../support/transaction-maker.js";
import { pause, until } from "../support/until.js";

const LOCKED = 10_000_000n;
const random = new SeededRandom();
const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

const stack = RestStack.use({
  executes: true,
  followsBroker: true,
  // As a real node: what it has rejected or dropped, it ignores for ten minutes.
  devnet: { gatherMs: 500 },
});
let make: TransactionMaker;
let alice: DevnetAccount;
let bob: DevnetAccount;
let carol: DevnetAccount;
let currency: bigint;

beforeAll(async () => {
  const { devnet } = stack.node;
  make = new TransactionMaker(devnet);
  [alice, bob, carol] = devnet.accounts as [DevnetAccount, DevnetAccount, DevnetAccount];
  currency = devnet.currencyMosaicId;
});

function transfer(to: DevnetAccount, amount: bigint) {
  return {
    type: "transfer_transaction_v1",
    recipientAddress: new Uint8Array(to.address),
    mosaics: [{ mosaicId: currency, amount }],
  };
}

async function put(path: string, body: unknown, url = stack.url): Promise<{ status: number; text: string }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, { method: "PUT", headers, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

async function statusOf(hash: Buffer): Promise<TransactionStatusBody | undefined> {
  const { status, body } = await stack.get(`/transactionStatus/${hex(hash)}`);
  return status === 200 ? body : undefined;
}

/** The currency of an account after the head. */
async function balanceOf(account: DevnetAccount): Promise<bigint> {
  const payload = hex(make.transaction(account, transfer(bob, 1n)));
  const [{ balances }] = (await stack.post("/transactions/simulate", { payload })).body as [SimulationBody];
  return BigInt(balances.find(({ address }) => address === hex(account.address))!.before);
}

/** The `status` messages about a transaction. */
function messagesOf(hash: Buffer) {
  return stack.index.db
    .selectFrom("events")
    .select("data")
    .where("channel", "=", "status")
    .where("data", "like", `%${hex(hash)}%`)
    .execute();
}

async function harvestLater(): Promise<void> {
  await pause(200);
  await stack.harvest();
}

/** Waits until a transaction is in a block. */
async function confirmed(hash: Buffer): Promise<void> {
  await until(async () => {
    await harvestLater();
    return (await statusOf(hash))?.group === "confirmed";
  }, "the status");
}

type Step = () => Promise<{ status: number; text: string }>;

/** An aggregate of three accounts, its lock, and how all of it is announced. */
function drawn() {
  const embedded = [alice, bob, carol].map((from) => make.embedded(from, transfer(from === bob ? carol : bob, 1n)));
  const bonded = make.aggregate({ signer: alice, isBonded: true, embedded }, { cosignaturesToCome: 2 });
  const hash = make.hashOf(bonded);
  const lock = make.transaction(alice, {
    type: "hash_lock_transaction_v1",
    mosaic: { mosaicId: currency, amount: LOCKED },
    duration: 2_000n,
    hash: new Uint8Array(hash),
  });
  const cosign = (signer: DevnetAccount) => {
    const cosignature = cosignatureOf(signer, hash);
    return () => put("/transactions/cosignature", cosignature);
  };
  const steps = [
    () => put("/transactions", { payload: hex(lock) }),
    () => put("/transactions/partial", { payload: hex(bonded) }),
    cosign(bob),
    cosign(carol),
  ];
  return { hash, bonded, lock, steps };
}

function cosignatureOf(signer: DevnetAccount, hash: Buffer) {
  const bytes = make.cosignature(signer, hash);
  return {
    version: "0",
    signerPublicKey: hex(bytes.subarray(8, 40)),
    signature: hex(bytes.subarray(40, 104)),
    parentHash: hex(bytes.subarray(104)),
  };
}

test("a lock, its aggregate and two cosignatures are confirmed, announced without a pause in between", async () => {
  const hashes: Buffer[] = [];
  for (const order of [
    [0, 1, 2, 3],
    [0, 1, 3, 2],
  ]) {
    const { hash, steps } = drawn();
    for (const step of order) expect((await steps[step]!()).status).toBe(202);
    expect(await statusOf(hash)).toMatchObject({ group: "partial", held: true, waitsFor: "lock" });
    hashes.push(hash);
  }
  await until(async () => {
    await harvestLater();
    const found = await Promise.all(hashes.map(statusOf));
    return found.every((status) => status?.group === "confirmed");
  }, "all are confirmed");
  const rejected = await stack.index.db.selectFrom("transaction_statuses").select(["code"]).execute();
  expect(rejected).toEqual([]);
  expect(stack.node.devnet.rejections).toEqual([]);
});

test("what waits for something unknown fails at once, and says what is missing", async () => {
  const { hash, steps } = drawn();
  const [lock, aggregate, byBob, byCarol] = steps as [Step, Step, Step, Step];
  const unknown = { status: 409, text: expect.stringContaining("parentHash is that of no aggregate that is pending") };
  expect(await byCarol()).toMatchObject(unknown);
  expect((await aggregate()).status).toBe(202);
  expect(await statusOf(hash)).toMatchObject({ group: "failed", code: "Failure_LockHash_Unknown_Hash" });
  expect(await byCarol()).toMatchObject(unknown);
  const stored = await stack.index.db.selectFrom("announcements").select("hash").where("deadline", ">", 0).execute();
  expect(stored.filter((row) => row.hash.equals(hash))).toEqual([]);
  await until(async () => (await messagesOf(hash)).length > 0, "the message");
  // The same bytes can be announced again at once.
  for (const step of [lock, aggregate, byBob, byCarol]) expect((await step()).status).toBe(202);
  await confirmed(hash);
  expect(stack.node.devnet.rejections).toEqual([]);
});

test("what is held is of signers whose signature counts, and the newest of each client", async () => {
  const { db } = stack.index;
  const { hash, steps } = drawn();
  for (const step of steps.slice(0, 2)) expect((await step()).status).toBe(202);
  const stranger = stack.node.devnet.accounts[3]!;
  expect(await put("/transactions/cosignature", cosignatureOf(stranger, hash))).toMatchObject({
    status: 409,
    text: expect.stringContaining("signerPublicKey is of no account whose signature the aggregate needs"),
  });
  // Of this client, and of another one.
  const hold = (client: string, count: number) =>
    sql`insert into announcements (hash, kind, payload, parent_hash, deadline, announced_at, last_pushed_at, pushes, state, held_for)
      select sha256(${client}::bytea || int4send(n)), 'cosignature', ${Buffer.alloc(136)}::bytea, ${Buffer.alloc(32)}::bytea,
        ${Number.MAX_SAFE_INTEGER}, now() - make_interval(secs => 1000 - n), now(), 0, 'held', ${client}
      from generate_series(1, ${count}::int) n`.execute(db);
  const heldFor = async (client: string) =>
    (
      await db
        .selectFrom("announcements")
        .select("hash")
        .where("held_for", "=", client)
        .where("state", "=", "held")
        // Those of the tests before may wait again, after the node had them.
        .where("reported_at", "is", null)
        .execute()
    ).length;
  await hold("127.0.0.1", 2 * MAX_HELD_OF_CLIENT);
  await hold("192.0.2.1", 2 * MAX_HELD_OF_CLIENT);
  for (const step of steps.slice(2)) expect((await step()).status).toBe(202);
  expect(await heldFor("127.0.0.1")).toBe(MAX_HELD_OF_CLIENT);
  expect(await heldFor("192.0.2.1")).toBe(2 * MAX_HELD_OF_CLIENT);
  await db.deleteFrom("announcements").where("deadline", "=", Number.MAX_SAFE_INTEGER).execute();
  await confirmed(hash);
});

test("what fails in any case is not pushed, and has the node's code at once", async () => {
  const payload = make.transaction(alice, transfer(bob, 10n ** 17n));
  const hash = make.hashOf(payload);
  const announced = performance.now();
  expect((await put("/transactions", { payload: hex(payload) })).status).toBe(202);
  expect(await statusOf(hash)).toMatchObject({ group: "failed", code: "Failure_Core_Insufficient_Balance" });
  await until(async () => (await messagesOf(hash)).length > 0, "the message");
  process.stderr.write(`message after ${Math.round(performance.now() - announced)} ms\n`);
  const pushed = await stack.index.db.selectFrom("announcements").select("hash").where("hash", "=", hash).execute();
  expect(pushed).toEqual([]);
});

test("what succeeds after something that was announced here is pushed", async () => {
  expect((await put("/transactions", { payload: hex(make.transaction(carol, transfer(bob, 1n))) })).status).toBe(202);
  const has = await balanceOf(carol);
  const given = make.transaction(alice, transfer(carol, 1_000_000n));
  const more = make.transaction(carol, transfer(bob, has + 100_000n));
  for (const payload of [given, more]) {
    expect((await put("/transactions", { payload: hex(payload) })).status).toBe(202);
  }
  await confirmed(make.hashOf(more));
});

test("what fails after what the node has reported, and succeeds after what it has not reported yet, is pushed", async () => {
  const has = await balanceOf(carol);
  const spent = make.transaction(carol, transfer(bob, has - 100_000n));
  expect((await put("/transactions", { payload: hex(spent) })).status).toBe(202);
  await until(async () => {
    const reported = await stack.index.db.selectFrom("pending_transactions").select("hash").execute();
    return reported.some(({ hash }) => hash?.equals(make.hashOf(spent)));
  }, "the node has reported it");
  const given = make.transaction(alice, transfer(carol, has));
  const more = make.transaction(carol, transfer(bob, has / 2n));
  for (const payload of [given, more]) {
    expect((await put("/transactions", { payload: hex(payload) })).status).toBe(202);
  }
  expect(await statusOf(make.hashOf(more))).not.toMatchObject({ group: "failed" });
  await confirmed(make.hashOf(more));
});

test("a fee below the node's minimum, a cosignature of the aggregate's own signer, and one that is there are 409", async () => {
  const cheap = make.transaction(alice, transfer(bob, 1n), { feeMultiplier: 1 });
  const { status, text } = await put("/transactions", { payload: hex(cheap) });
  expect(status).toBe(409);
  expect(text).toContain(`no less than ${10 * cheap.length}`);
  const { hash, steps } = drawn();
  const [lock, aggregate, byBob] = steps;
  for (const step of [lock, aggregate]) await step!();
  expect(await put("/transactions/cosignature", cosignatureOf(alice, hash))).toMatchObject({
    status: 409,
    text: expect.stringContaining("signerPublicKey is that of the aggregate"),
  });
  await until(async () => {
    await harvestLater();
    const { group, held } = (await statusOf(hash)) ?? {};
    return group === "partial" && !held;
  }, "the node has it");
  await byBob!();
  await until(async () => (await put("/transactions/cosignature", cosignatureOf(bob, hash))).status === 409, "409");
});

test("a gateway that does not know the network's rules holds a bonded aggregate for a pending lock all the same", async () => {
  const gateway = await startTestGateway({ databaseUrl: stack.index.url, nodes: [stack.node.devnet] });
  const url = `http://127.0.0.1:${gateway.port}`;
  try {
    const { hash, bonded, lock, steps } = drawn();
    expect((await put("/transactions", { payload: hex(lock) }, url)).status).toBe(202);
    expect((await put("/transactions/partial", { payload: hex(bonded) }, url)).status).toBe(202);
    expect(await statusOf(hash)).toMatchObject({ held: true, waitsFor: "lock" });
    for (const cosign of steps.slice(2)) await cosign();
    await confirmed(hash);
    expect(stack.node.devnet.rejections).toEqual([]);
  } finally {
    await gateway.stop();
  }
});

test("a gateway that is to push everything leaves the word to the node", async () => {
  const { devnet } = stack.node;
  const { resourcesDirectory } = devnet;
  const settings = { databaseUrl: stack.index.url, nodes: [devnet], resourcesDirectory, pushesEverything: true };
  const gateway = await startTestGateway(settings);
  try {
    const announce = async (path: string, payload: Buffer) => {
      expect(await put(path, { payload: hex(payload) }, `http://127.0.0.1:${gateway.port}`)).toMatchObject({
        status: 202,
      });
      return make.hashOf(payload);
    };
    await announce("/transactions", make.transaction(alice, transfer(bob, 1n), { feeMultiplier: 1 }));
    const { bonded } = drawn();
    const rejected = [
      await announce("/transactions", make.transaction(alice, transfer(bob, 10n ** 17n))),
      await announce("/transactions/partial", bonded),
    ];
    const byNode = () => devnet.rejections.map(({ hash, name }) => `${hex(hash)} ${name}`).sort();
    const expected = [
      `${hex(rejected[0]!)} Failure_Core_Insufficient_Balance`,
      `${hex(rejected[1]!)} Failure_LockHash_Unknown_Hash`,
    ];
    await until(() => byNode().length === 2, "the node has rejected both");
    expect(byNode()).toEqual(expected.sort());
  } finally {
    await gateway.stop();
  }
});

/** DryRuns whose jobs do what is given. */
function dryRunsWith(run: DryRunThreads["run"], node: NodeClient = stack.node.client): DryRuns {
  const resources = new NodeResources(stack.node.devnet.resourcesDirectory);
  const threads = { run, share: (name: string) => ({ client: name, leftMs: 1 }) };
  return new DryRuns({ node, resources, threads });
}

/** An aggregate of another transfer to each of 100 accounts, by an account that has nothing. */
function unfunded() {
  const { network } = stack.node.devnet;
  const deadline = BigInt(Date.now() - stack.node.devnet.rules.epochAdjustment * 1_000 + 3_600_000);
  const signer = newParty(network, random);
  const payload = aggregateToMany({ network, signer, random, deadline });
  return { payload, hash: make.hashOf(payload), address: signer.address };
}

/** Rows about a transaction, by table, and those of its messages. */
async function storedOf(hash: Buffer): Promise<string[]> {
  const { db } = stack.index;
  const tables = ["announcements", "rejected_announcements", "transaction_statuses", "awaited_transactions"] as const;
  const found = await Promise.all(
    tables.map(async (table) =>
      (await db.selectFrom(table).select("hash").where("hash", "=", hash).execute()).map(() => table),
    ),
  );
  return [...found.flat(), ...(await messagesOf(hash)).map(() => "events")];
}

test("a dry run that takes too much is no error of an announcement: its outcome is unknown, and the node decides", async () => {
  const dryRuns = dryRunsWith(() => Promise.reject(new DryRunLimitError("takes too long")));
  const bonded = make.aggregate(
    { signer: alice, isBonded: true, embedded: [make.embedded(bob, transfer(carol, 1n))] },
    { cosignaturesToCome: 1 },
  );
  expect(await dryRuns.mayCosign(stack.index.db, bonded, bob.publicKey, "any")).toBeUndefined();
  const paid = decodeTransaction(make.transaction(alice, transfer(bob, 1n)), stack.node.devnet.network);
  expect(await evaluated(dryRuns, paid)).toBe("unknown");
});

function evaluated(dryRuns: DryRuns, transaction: BlockTransaction) {
  const now = Date.now() - stack.node.devnet.rules.epochAdjustment * 1_000;
  return dryRuns.evaluate(stack.index.db, transaction, "transaction", now, "any");
}

test("a dry run takes place though the index got a block after the node told its height", async () => {
  const { client, devnet } = stack.node;
  const told: number[] = [];
  const chainStatistics = async () => {
    const statistics = await client.chainStatistics();
    const height = told.length === 0 ? statistics.height - 1 : statistics.height;
    told.push(height);
    return { ...statistics, height };
  };
  await until(async () => (await readHead(stack.index.db))?.height === devnet.height, "the index has all blocks");
  const dryRuns = dryRunsWith(
    (async () => undefined) as DryRunThreads["run"],
    { chainStatistics, time: () => client.time() } as NodeClient,
  );
  const paid = decodeTransaction(make.transaction(alice, transfer(bob, 1n)), devnet.network);
  expect(await evaluated(dryRuns, paid)).toBe("accepted");
  expect(told).toHaveLength(2);
});

test.each([
  ["the same", false],
  ["other ones", true],
])("a simulation has the rules of the block after its state, though a block comes between: %s", async (_, areOther) => {
  const { client } = stack.node;
  let [comes, triedAt] = [true, 0];
  const time = async () => {
    if (comes) await stack.harvest();
    comes = false;
    return await client.time();
  };
  const ruled: number[] = [];
  const { read } = NetworkRules.prototype;
  NetworkRules.prototype.read = async function (network, height) {
    ruled.push(height);
    const rules = await read.call(this, network, height);
    return areOther && height === ruled[0] ? { ...rules, maxLifetimeMs: rules.maxLifetimeMs + 1 } : rules;
  };
  const run = (async (_share, _job, { basis }) => {
    triedAt = basis.height;
    return [];
  }) as DryRunThreads["run"];
  try {
    const payload = make.transaction(alice, transfer(bob, 1n));
    await dryRunsWith(run, { time } as NodeClient).simulate(stack.index.db, [payload], false, "any");
    const anew = areOther ? [triedAt + 1, triedAt + 1] : [];
    expect(ruled).toEqual([triedAt, triedAt + 1, ...anew]);
  } finally {
    NetworkRules.prototype.read = read;
  }
});

test("work that waits for the threads holds no connection of the database", async () => {
  const { db } = stack.index;
  const started: string[] = [];
  let release = (): void => undefined;
  const released = new Promise<never>((_, reject) => {
    release = () => reject(new DryRunLimitError("was released"));
  });
  released.catch(() => undefined);
  const dryRuns = dryRunsWith((_share, job) => {
    started.push(job.kind);
    return released;
  });
  const payload = make.transaction(alice, transfer(bob, 1n));
  const bonded = make.aggregate({ signer: alice, isBonded: true, embedded: [make.embedded(bob, transfer(carol, 1n))] });
  const running = Promise.allSettled([
    dryRuns.simulate(db, [payload], false, "any"),
    dryRuns.mayCosign(db, bonded, bob.publicKey, "any"),
    evaluated(dryRuns, decodeTransaction(payload, stack.node.devnet.network)),
  ]);
  await until(() => started.length === 3, "all wait for the threads");
  // The indexer's and the gateway's own transactions pass within moments; one that is held stays.
  await until(async () => (await snapshotsOf(db)) === 0, "no connection has a snapshot");
  release();
  await running;
});

/** Connections of the database that have a snapshot, and await their client. */
async function snapshotsOf(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.raw(OWN_CONNECTIONS)}
    where backend_xmin is not null and state = 'idle in transaction'`.execute(db);
  return rows[0]!.count;
}

test("what its signer cannot pay is 409 at once: it is not pushed, and leaves no row", async () => {
  const { payload, hash } = unfunded();
  const answer = await put("/transactions", { payload: hex(payload) });
  expect(answer).toMatchObject({ status: 409, text: expect.stringContaining("Failure_Core_Insufficient_Balance") });
  expect(JSON.parse(answer.text)).toMatchObject({
    code: "InvalidArgument",
    message: expect.stringMatching(/^transaction\.maxFee: is \d+, of which its signer has 0/),
  });
  expect(await storedOf(hash)).toEqual([]);
  expect(stack.node.devnet.rejections).not.toContainEqual(expect.objectContaining({ hash }));
});

test("what is pending may pay for it", async () => {
  const { network } = stack.node.devnet;
  const poor = newParty(network, random);
  const spent = make.transaction(poor, transfer(bob, 1n));
  expect((await put("/transactions", { payload: hex(spent) })).status).toBe(409);
  const given = make.transaction(alice, transfer({ ...alice, address: poor.address }, 10_000_000n));
  for (const payload of [given, spent])
    expect((await put("/transactions", { payload: hex(payload) })).status).toBe(202);
  await confirmed(make.hashOf(spent));
  // Announced again: nothing is stored of it.
  expect((await put("/transactions", { payload: hex(spent) })).status).toBe(202);
  expect(await statusOf(make.hashOf(spent))).toMatchObject({ group: "confirmed" });
});

test("as catapult-rest: 202 and a status for its signer alone, up to a limit for each client and hour", async () => {
  const { client, devnet } = stack.node;
  const { db } = stack.index;
  const rules = new NetworkRules(new NodeResources(devnet.resourcesDirectory));
  const dryRuns = dryRunsWith(() => Promise.reject(new Error("it is not tried")));
  let now = 1;
  const stored = new StoredShare(2 * (1_024 + 256), () => now);
  const announcer = new Announcer({ db, node: client, rules, dryRuns, stored });
  const announce = async (name: string) => {
    const { payload, hash, address } = unfunded();
    await announcer.announceTransaction(payload, "transaction", { client: name, rejection: "report" });
    return { hash, address };
  };
  const { hash, address } = await announce("one");
  expect(await statusOf(hash)).toMatchObject({ group: "failed", code: "Failure_Core_Insufficient_Balance" });
  await until(async () => (await messagesOf(hash)).length > 0, "the message");
  const concerned = await db
    .selectFrom("events")
    .select("addresses")
    .where("data", "like", `%${hex(hash)}%`)
    .execute();
  expect(concerned).toEqual([{ addresses: [address] }]);
  await announce("one");
  await expect(announce("one")).rejects.toThrow("Failure_Core_Insufficient_Balance");
  await announce("another");
  now += 3_600_001;
  await announce("one");
});

test("what the index cannot evaluate is pushed and stored for each client up to a limit", async () => {
  const { client, devnet } = stack.node;
  const { db } = stack.index;
  const rules = new NetworkRules(new NodeResources(devnet.resourcesDirectory));
  const dryRuns = dryRunsWith(() => Promise.reject(new DryRunLimitError("takes too long")));
  const announcer = new Announcer({ db, node: client, rules, dryRuns, stored: new StoredShare(1_024 + 2 * 256 + 300) });
  const announce = async (name: string) => {
    const payload = make.transaction(alice, transfer(bob, 1n));
    await announcer.announceTransaction(payload, "transaction", { client: name, rejection: "throw" });
    return make.hashOf(payload);
  };
  const hashes = [await announce("one")];
  await expect(announce("one")).rejects.toMatchObject({ code: "TooManyRequests" });
  hashes.push(await announce("another"));
  for (const hash of hashes) await confirmed(hash);
});
