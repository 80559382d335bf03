import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import type { TransactionStatusBody } from "../../catapult/body/transaction-status.js";
import { MAX_HELD, MAX_HELD_OF_SIGNER } from "../../database/mempool/announcements.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { RestStack } from "../support/rest-stack.js";
import { startTestGateway } from "../support/test-gateway.js";
import { TransactionMaker } from "../support/transaction-maker.js";
import { until } from "../support/until.js";

const LOCKED = 10_000_000n;
/** Longer than the whole file takes on any machine. */
const LOCK_GRACE_MS = 600_000;
const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

let stack: RestStack;
let make: TransactionMaker;
let alice: DevnetAccount;
let bob: DevnetAccount;
let carol: DevnetAccount;
let currency: bigint;

beforeAll(async () => {
  stack = await RestStack.start({
    executes: true,
    hearsBroker: true,
    // As a real node: what it has rejected or dropped, it ignores for ten minutes.
    devnet: { gatherMs: 500 },
    indexer: () => ({ mempool: { lockGraceMs: LOCK_GRACE_MS } }),
  });
  const { devnet } = stack.node;
  make = new TransactionMaker(devnet);
  [alice, bob, carol] = devnet.accounts as [DevnetAccount, DevnetAccount, DevnetAccount];
  currency = devnet.currencyMosaicId;
});

afterAll(() => stack?.stop());

function transfer(to: DevnetAccount, amount: bigint) {
  return {
    type: "transfer_transaction_v1",
    recipientAddress: new Uint8Array(to.address),
    mosaics: [{ mosaicId: currency, amount }],
  };
}

async function put(path: string, body: unknown, url = stack.url): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}${path}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

async function statusOf(hash: Buffer): Promise<TransactionStatusBody | undefined> {
  const response = await fetch(`${stack.url}/transactionStatus/${hex(hash)}`);
  return response.status === 200 ? ((await response.json()) as TransactionStatusBody) : undefined;
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
  await new Promise((resolve) => setTimeout(resolve, 200));
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

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((first, index) => permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}

test.each([
  [
    "one after the other",
    async (steps: readonly Step[]) => {
      const answers = [];
      for (const step of steps) answers.push(await step());
      return answers;
    },
  ],
  ["at once", (steps: readonly Step[]) => Promise.all(steps.map((step) => step()))],
])(
  "a lock, its aggregate and two cosignatures are confirmed, in whichever of the 24 orders they are announced, %s",
  async (_how, announce) => {
    const hashes: Buffer[] = [];
    for (const order of permutations([0, 1, 2, 3])) {
      const { hash, steps } = drawn();
      for (const { status } of await announce(order.map((step) => steps[step]!))) expect(status).toBe(202);
      hashes.push(hash);
    }
    expect(hashes.length).toBe(24);
    await until(
      async () => {
        await harvestLater();
        const found = await Promise.all(hashes.map(statusOf));
        return found.every((status) => status?.group === "confirmed");
      },
      "all are confirmed",
      100_000,
    );
    const rejected = await stack.index.db.selectFrom("transaction_statuses").select(["code"]).execute();
    expect(rejected).toEqual([]);
    expect(stack.node.devnet.rejections).toEqual([]);
  },
  240_000,
);

test("an aggregate whose lock does not come is rejected with the node's code, and can be announced again with it", async () => {
  const { hash, steps } = drawn();
  const [lock, aggregate, byBob, byCarol] = steps as [Step, Step, Step, Step];
  await byCarol();
  expect((await aggregate()).status).toBe(202);
  const held = { group: "partial", held: true, waitsFor: "lock" };
  expect(await statusOf(hash)).toMatchObject(held);
  // As if it had been announced so long ago.
  await stack.index.db
    .updateTable("announcements")
    .set({ announced_at: sql`announced_at - make_interval(secs => ${LOCK_GRACE_MS / 1_000})` })
    .where("hash", "=", hash)
    .execute();
  await until(async () => {
    const status = await statusOf(hash);
    expect(status).toBeDefined();
    return status?.group === "failed";
  }, "it is rejected");
  expect((await statusOf(hash))?.code).toBe("Failure_LockHash_Unknown_Hash");
  for (const step of [aggregate, lock]) await step();
  expect(await statusOf(hash)).toMatchObject(held);
  await byBob();
  await confirmed(hash);
  expect(stack.node.devnet.rejections).toEqual([]);
  expect(await messagesOf(hash)).toHaveLength(1);
}, 60_000);

test("what is held is bounded, for each signer and in all", async () => {
  const { db } = stack.index;
  /** Holds cosignatures of unknown aggregates. */
  const hold = (signer: Buffer, count: number) =>
    sql`insert into announcements (hash, kind, payload, parent_hash, deadline, announced_at, last_pushed_at, pushes, next_push_at)
      select sha256(${signer}::bytea || int4send(n)), 'cosignature', ${Buffer.alloc(8)}::bytea || ${signer}::bytea || sha256(int4send(n)),
        sha256(int4send(n)), ${Number.MAX_SAFE_INTEGER}, now(), now(), 0, 'infinity'
      from generate_series(1, ${count}::int) n`.execute(db);
  const forget = () => db.deleteFrom("announcements").where("deadline", "=", Number.MAX_SAFE_INTEGER).execute();
  const limits = "at most 100 of an account, 10000 in all";
  const announce = (signer: DevnetAccount) => put("/transactions/cosignature", cosignatureOf(signer, drawn().hash));
  await hold(carol.publicKey, MAX_HELD_OF_SIGNER - 1);
  expect((await announce(carol)).status).toBe(202);
  expect(await announce(carol)).toMatchObject({ status: 409, text: expect.stringContaining(limits) });
  expect((await announce(bob)).status).toBe(202);
  await hold(Buffer.alloc(32), MAX_HELD);
  expect(await announce(bob)).toMatchObject({ status: 409, text: expect.stringContaining(limits) });
  await forget();
  expect((await announce(carol)).status).toBe(202);
}, 60_000);

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
  const [poor] = [make.transaction(carol, transfer(bob, 1n))];
  expect((await put("/transactions", { payload: hex(poor!) })).status).toBe(202);
  const simulated = await fetch(`${stack.url}/transactions/simulate`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ payload: hex(make.transaction(carol, transfer(bob, 1n))) }),
  });
  const [{ balances }] = (await simulated.json()) as [{ balances: { address: string; before: string }[] }];
  const has = BigInt(balances.find(({ address }) => address === hex(carol.address))!.before);
  const given = make.transaction(alice, transfer(carol, 1_000_000n));
  const more = make.transaction(carol, transfer(bob, has + 100_000n));
  for (const payload of [given, more]) {
    expect((await put("/transactions", { payload: hex(payload) })).status).toBe(202);
  }
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

test("a gateway that does not know the network's rules holds a bonded aggregate for its lock all the same", async () => {
  const gateway = await startTestGateway({ databaseUrl: stack.index.url, nodes: [stack.node.devnet] });
  const url = `http://127.0.0.1:${gateway.port}`;
  try {
    const { hash, bonded, lock, steps } = drawn();
    expect((await put("/transactions/partial", { payload: hex(bonded) }, url)).status).toBe(202);
    expect(await statusOf(hash)).toMatchObject({ held: true, waitsFor: "lock" });
    expect((await put("/transactions", { payload: hex(lock) }, url)).status).toBe(202);
    for (const cosign of steps.slice(2)) await cosign();
    await confirmed(hash);
    expect(stack.node.devnet.rejections).toEqual([]);
  } finally {
    await gateway.stop();
  }
}, 60_000);

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
