import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { idText } from "../../catapult/json/format.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { aliasOf } from "../devnet/state-test-chain.js";
import { publishedApi } from "../support/openapi.js";
import { RestClient } from "../support/rest-client.js";
import { RestStack } from "../support/rest-stack.js";
import { type Descriptor, TransactionMaker } from "../support/transaction-maker.js";
import { until } from "../support/until.js";

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every form.
type Body = any;

const TRANSFER = 16724;
const AGGREGATE_COMPLETE = 16705;
const AGGREGATE_BONDED = 16961;
const OTHER_MOSAIC = 0x1111_2222_3333_4444n;

describe("pending transactions over REST", () => {
  const api = publishedApi();
  let stack: RestStack;
  let rest: RestClient;
  let make: TransactionMaker;
  let alice: DevnetAccount;
  let bob: DevnetAccount;
  let carol: DevnetAccount;
  /** Hashes by name. */
  const hashes: Record<string, string> = {};
  let currency: bigint;

  beforeAll(async () => {
    stack = await RestStack.start({ followsBroker: true });
    rest = new RestClient(stack.url, api);
    const { devnet } = stack.node;
    make = new TransactionMaker(devnet);
    currency = devnet.currencyMosaicId;
    [alice, bob, carol] = devnet.accounts as [DevnetAccount, DevnetAccount, DevnetAccount];

    const bonded = make.aggregate(
      {
        signer: alice,
        isBonded: true,
        embedded: [make.embedded(alice, transfer(bob, 3n)), make.embedded(bob, transfer(alice, 4n))],
      },
      { cosignaturesToCome: 1 },
    );
    const lock = make.transaction(alice, {
      type: "hash_lock_transaction_v1",
      mosaic: { mosaicId: currency, amount: devnet.rules.lockedFundsPerAggregate },
      duration: 100n,
      hash: new Uint8Array(make.hashOf(bonded)),
    });
    await announce("lock", "/transactions", lock);
    await until(() => devnet.unconfirmedCount === 1, "the lock is in the pool");
    await stack.harvest();

    await announce("bonded", "/transactions/partial", bonded);
    await announce("ten", "/transactions", make.transaction(alice, transfer(bob, 10n)));
    await announce("twenty", "/transactions", make.transaction(bob, transfer(carol, 20n)));
    const aggregate = make.aggregate({
      signer: alice,
      embedded: [make.embedded(alice, transfer(bob, 30n)), make.embedded(carol, transfer(alice, 40n))],
      cosigners: [carol],
    });
    await announce("aggregate", "/transactions", aggregate);
    await announce("unpayable", "/transactions", make.transaction(alice, transfer(bob, 1n, OTHER_MOSAIC)));
    await until(() => devnet.unconfirmedCount === 3 && devnet.partialCount === 1, "the node has accepted them");
    await until(
      async () => (await totalOf("unconfirmed")) === 3 && (await totalOf("partial")) === 1,
      "they are indexed",
    );
  });

  afterAll(() => stack?.stop());

  function transfer(to: DevnetAccount, amount: bigint, mosaicId = currency): Descriptor {
    return {
      type: "transfer_transaction_v1",
      recipientAddress: new Uint8Array(to.address),
      mosaics: [{ mosaicId, amount }],
    };
  }

  async function announce(name: string, path: string, payload: Buffer): Promise<void> {
    hashes[name] = hex(make.hashOf(payload));
    const { status } = await stack.send("PUT", path, { payload: hex(payload) });
    expect({ name, status }).toEqual({ name, status: 202 });
  }

  async function totalOf(group: string): Promise<number> {
    return (await rest.page(`/transactions/${group}`)).pagination.totalEntries;
  }

  /** The results of a search, oldest first: names of transactions, and `name/n` for the n-th embedded one of an aggregate. */
  async function find(group: string, query: string): Promise<string[]> {
    const { data } = await rest.get<{ data: Body[] }>(`/transactions/${group}?order=asc&${query}`);
    const names = new Map(Object.entries(hashes).map(([name, hash]) => [hash, name]));
    return data.map(({ meta }) =>
      meta.hash ? (names.get(meta.hash) ?? "?") : `${names.get(meta.aggregateHash)}/${meta.index}`,
    );
  }

  test.each([
    ["", ["ten", "twenty", "aggregate"]],
    ["embedded=true", ["ten", "twenty", "aggregate", "aggregate/0", "aggregate/1"]],
    ["signerPublicKey=ALICE", ["ten", "aggregate"]],
    ["signerPublicKey=CAROL", []],
    ["signerPublicKey=CAROL&embedded=true", ["aggregate/1"]],
    ["recipientAddress=BOB", ["ten"]],
    ["recipientAddress=BOB&embedded=true", ["ten", "aggregate/0"]],
    ["address=CAROL", ["twenty", "aggregate"]],
    ["address=ALIAS", []],
    ["recipientAddress=ALIAS", []],
    ["address=CAROL&embedded=true", ["twenty", "aggregate", "aggregate/1"]],
    ["type=16724", ["ten", "twenty"]],
    ["type=16724&type=16705", ["ten", "twenty", "aggregate"]],
    ["type=16724&type=16705&embedded=true&address=ALICE", ["ten", "aggregate", "aggregate/0", "aggregate/1"]],
    ["transferMosaicId=CURRENCY", ["ten", "twenty"]],
    ["transferMosaicId=CURRENCY&fromTransferAmount=11&toTransferAmount=35&embedded=true", ["twenty", "aggregate/0"]],
    ["transferMosaicId=1111222233334444", []],
    ["height=1", []],
    ["fromHeight=1", []],
    ["fromHeight=0&toHeight=5", ["ten", "twenty", "aggregate"]],
  ])("unconfirmed: %s", async (query, expected) => {
    expect(await find("unconfirmed", named(query))).toEqual(expected);
  });

  test.each([
    ["", ["bonded"]],
    ["embedded=true", ["bonded", "bonded/0", "bonded/1"]],
    ["address=BOB", ["bonded"]],
    ["address=CAROL", []],
    ["signerPublicKey=BOB&embedded=true", ["bonded/1"]],
    [`type=${AGGREGATE_BONDED}`, ["bonded"]],
    ["transferMosaicId=CURRENCY&toTransferAmount=3&embedded=true", ["bonded/0"]],
    ["height=7", []],
  ])("partial: %s", async (query, expected) => {
    expect(await find("partial", named(query))).toEqual(expected);
  });

  function named(query: string): string {
    return query
      .replace("ALICE", query.includes("address=") ? encodeAddress(alice.address) : hex(alice.publicKey))
      .replace("BOB", query.includes("signer") ? hex(bob.publicKey) : encodeAddress(bob.address))
      .replace("CAROL", query.includes("signer") ? hex(carol.publicKey) : encodeAddress(carol.address))
      .replace("ALIAS", encodeAddress(aliasOf("devnet.alice")))
      .replace("CURRENCY", idText(currency));
  }

  test.each(["unconfirmed", "partial"])("%s: contradictions are rejected as for confirmed ones", async (group) => {
    for (const query of [
      `address=${encodeAddress(alice.address)}&signerPublicKey=${hex(alice.publicKey)}`,
      "fromTransferAmount=5",
      "fromHeight=7&toHeight=5",
    ])
      await rest.get(`/transactions/${group}?${query}`, 409);
  });

  test("pages and offsets", async () => {
    const { data } = await rest.page<Body>("/transactions/unconfirmed", { embedded: "true", order: "asc" });
    const behind = await rest.page<Body>("/transactions/unconfirmed", {
      embedded: "true",
      order: "asc",
      offset: data[1].id,
    });
    expect(behind.data).toEqual(data.slice(2));
    expect(behind.pagination.totalEntries).toBe(5);
  });

  test("by id, by hash, and several", async () => {
    for (const [group, name] of [
      ["unconfirmed", "aggregate"],
      ["partial", "bonded"],
    ] as const) {
      const byHash = await rest.get<Body>(`/transactions/${group}/${hashes[name]}`);
      expect(byHash.transaction.transactions).toHaveLength(2);
      expect(byHash.meta).toMatchObject({ height: "0", hash: hashes[name] });
      expect(await rest.get(`/transactions/${group}/${byHash.id}`)).toEqual(byHash);
      const [inner] = byHash.transaction.transactions;
      expect(await rest.get(`/transactions/${group}/${inner.id}`)).toEqual(inner);
      const transactionIds = [inner.id, hashes[name], byHash.id, "0".repeat(24), "0".repeat(64)];
      expect(await rest.post(`/transactions/${group}`, { transactionIds })).toEqual([inner, byHash]);
      await rest.get(`/transactions/${group}/${hashes.lock}`, 404);
    }
  });

  test("include=transactions adds the embedded transactions to their aggregates, in every group", async () => {
    for (const [group, name, type] of [
      ["unconfirmed", "aggregate", AGGREGATE_COMPLETE],
      ["partial", "bonded", AGGREGATE_BONDED],
    ] as const) {
      const whole = await rest.get<Body>(`/transactions/${group}/${hashes[name]}`);
      const query = `type=${type}&type=${TRANSFER}&order=desc`;
      const plain = await rest.get<Body>(`/transactions/${group}?${query}`);
      expect(plain.data[0].transaction.transactions).toBeUndefined();
      const included = await rest.get<Body>(`/transactions/${group}?${query}&include=transactions`);
      expect(included.data[0]).toEqual(whole);
      expect(included.pagination).toEqual(plain.pagination);
      const all = await rest.get<Body>(`/transactions/${group}?embedded=true&order=asc&include=transactions`);
      expect(all.data.filter((entry: Body) => entry.meta.hash === hashes[name])).toEqual([whole]);
    }
    await rest.get("/transactions/partial?include=everything", 409);
  });

  test("statuses: of every group, in the order of the request, without unknown ones", async () => {
    const names = ["unpayable", "bonded", "ten", "lock"];
    await until(async () => (await statusOf("unpayable")) !== undefined, "the rejection is indexed");
    const asked = ["0".repeat(64), ...names.map((name) => hashes[name]), hashes.ten];
    const statuses = await rest.post<Body[]>("/transactionStatus", { hashes: asked });
    expect(statuses.map(({ group, code, hash }) => [group, code, hash])).toEqual([
      ["failed", "Failure_Core_Insufficient_Balance", hashes.unpayable],
      ["partial", "Success", hashes.bonded],
      ["unconfirmed", "Success", hashes.ten],
      ["confirmed", "Success", hashes.lock],
    ]);
    expect(statuses.map(({ height }) => height)).toEqual([undefined, "0", "0", "2"]);
    for (const [index, name] of names.entries()) expect(await statusOf(name)).toEqual(statuses[index]);
    expect(await statusOf("nobody")).toBeUndefined();
  });

  async function statusOf(name: string): Promise<Body | undefined> {
    const response = await fetch(`${stack.url}/transactionStatus/${hashes[name] ?? "0".repeat(64)}`);
    return response.status === 404 ? undefined : await response.json();
  }

  test("a cosignature over REST completes the aggregate; a block confirms all", async () => {
    const { devnet } = stack.node;
    const hash = Buffer.from(hashes.bonded ?? "", "hex");
    const bytes = make.cosignature(bob, hash);
    const body = {
      parentHash: hashes.bonded,
      signerPublicKey: hex(bytes.subarray(8, 40)),
      signature: hex(bytes.subarray(40, 104)),
      version: "0",
    };
    expect(await stack.send("PUT", "/transactions/cosignature", body)).toMatchObject({ status: 202 });
    await until(() => devnet.isUnconfirmed(hash), "the aggregate is complete");
    await stack.harvest();
    await until(async () => (await totalOf("unconfirmed")) === 0 && (await totalOf("partial")) === 0, "all are gone");
    for (const name of ["ten", "twenty", "aggregate", "bonded"]) {
      expect(await statusOf(name)).toMatchObject({ group: "confirmed", code: "Success", height: "3" });
    }
    expect(await find("confirmed", "height=3")).toHaveLength(4);
    const included = await rest.get<Body>(
      `/transactions/confirmed?height=3&type=${AGGREGATE_BONDED}&include=transactions`,
    );
    expect(included.data).toEqual([await rest.get(`/transactions/confirmed/${hashes.bonded}`)]);
  });
});
