import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { firstValueFrom, type Observable, Subscription } from "rxjs";
import type {
  Account,
  IListener,
  RepositoryFactoryHttp,
  SignedTransaction,
  Transaction,
  TransactionService,
} from "symbol-sdk-v2";
import sdk from "symbol-sdk-v2";
import { WebSocket } from "ws";
import type { Gateway } from "../../gateway/server.js";
import { LifeScene } from "../support/lifecycle-scene.js";
import { until } from "../support/until.js";

const NETWORK = sdk.NetworkType.TEST_NET;
const FEE_MULTIPLIER = 100;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The services and the Listener of symbol-sdk 2, as wallets use them, against devnet, indexer, database and gateway. */
let scene: LifeScene;
let gateway: Gateway;
let factory: RepositoryFactoryHttp;
let listener: IListener;
let service: TransactionService;
let alice: Account;
let bob: Account;
let carol: Account;
let dave: Account;
/** Events of the Listener's methods, in order, as `method name`. */
const received: string[] = [];
const names = new Map<string, string>();
const subscriptions = new Subscription();

beforeAll(async () => {
  scene = await LifeScene.start("broker");
  gateway = await scene.serve();
  factory = new sdk.RepositoryFactoryHttp(`http://127.0.0.1:${gateway.port}`, { websocketInjected: WebSocket });
  listener = factory.createListener();
  await listener.open();
  service = new sdk.TransactionService(factory.createTransactionRepository(), factory.createReceiptRepository());
  [alice, bob, carol, dave] = ["alice", "bob", "carol", "dave"].map(accountOf) as [Account, Account, Account, Account];
  listenToAll();
});

beforeEach(() => {
  received.length = 0;
});

afterAll(async () => {
  subscriptions.unsubscribe();
  listener?.close();
  await gateway?.stop();
  await scene?.stop();
});

function accountOf(name: string): Account {
  return sdk.Account.createFromPrivateKey(scene.fixture.account(name).privateKey.toString("hex"), NETWORK);
}

/** Subscribes every method for alice, and those about others for bob. */
function listenToAll(): void {
  const note = <T>(method: string, stream: Observable<T>, hashOf: (value: T) => string | undefined): void => {
    const name = (hash = "") => names.get(hash.toUpperCase()) ?? hash.slice(0, 8);
    subscriptions.add(stream.subscribe((value) => received.push(`${method} ${name(hashOf(value))}`)));
  };
  const hashOf = (transaction: Transaction) => transaction.transactionInfo?.hash;
  const { address } = alice;
  note("newBlock", listener.newBlock(), () => "block");
  note("finalizedBlock", listener.finalizedBlock(), () => "block");
  note("confirmed", listener.confirmed(address), hashOf);
  note("unconfirmedAdded", listener.unconfirmedAdded(address), hashOf);
  note("unconfirmedRemoved", listener.unconfirmedRemoved(address), (hash) => hash);
  note("aggregateBondedAdded", listener.aggregateBondedAdded(address), hashOf);
  note("aggregateBondedRemoved", listener.aggregateBondedRemoved(address), (hash) => hash);
  note("cosignatureAdded", listener.cosignatureAdded(address), ({ parentHash }) => parentHash);
  note("status", listener.status(address), ({ hash }) => hash);
}

/** Events of named transactions, without blocks. */
const told = () => received.filter((line) => !line.endsWith(" block"));

function deadline(ms = 2 * HOUR_MS) {
  return sdk.Deadline.createFromAdjustedValue(scene.now() + ms);
}

const currency = (amount: number) =>
  new sdk.Mosaic(
    new sdk.MosaicId(scene.fixture.devnet.currencyMosaicId.toString(16).padStart(16, "0")),
    sdk.UInt64.fromUint(amount),
  );

const transfer = (to: Account, amount: number) =>
  sdk.TransferTransaction.create(deadline(), to.address, [currency(amount)], sdk.PlainMessage.create("hello"), NETWORK);

function sign(name: string, signer: Account, transaction: Transaction): SignedTransaction {
  const seed = scene.fixture.devnet.generationHashSeed.toString("hex").toUpperCase();
  const signed = signer.sign(transaction.setMaxFee(FEE_MULTIPLIER), seed);
  names.set(signed.hash, name);
  return signed;
}

/** An aggregate of transfers to alice, which bob, carol and dave have to cosign, and its lock. */
function bonded(name: string, { deadlineMs = 2 * HOUR_MS, lockBlocks = 100 } = {}) {
  const { fixture } = scene;
  const parts = [alice, bob, carol, dave].map((each) => transfer(alice, 1).toAggregate(each.publicAccount));
  const aggregate = sdk.AggregateTransaction.createBonded(deadline(deadlineMs), parts, NETWORK);
  const seed = fixture.devnet.generationHashSeed.toString("hex").toUpperCase();
  const signed = alice.sign(aggregate.setMaxFeeForAggregate(FEE_MULTIPLIER, 3), seed);
  names.set(signed.hash, name);
  const lock = sdk.HashLockTransaction.create(
    deadline(),
    currency(Number(fixture.devnet.rules.lockedFundsPerAggregate)),
    sdk.UInt64.fromUint(lockBlocks),
    signed,
    NETWORK,
  );
  return { signed, lock: sign(`${name}'s lock`, alice, lock) };
}

/** Waits for a service's answer, and creates a block whenever a transaction is pending. */
async function answerOf<T>(answer: Observable<T>): Promise<T> {
  let hasEnded = false;
  const value = firstValueFrom(answer).finally(() => {
    hasEnded = true;
  });
  // Rejections are reported by `value`.
  value.catch(() => undefined);
  const harvesting = until(async () => {
    if (scene.fixture.devnet.unconfirmedCount > 0 && told().some((line) => line.startsWith("unconfirmedAdded"))) {
      await scene.harvest();
    }
    return hasEnded;
  }, "the service has answered");
  await harvesting;
  return value;
}

function cosign(signer: Account, { hash }: SignedTransaction) {
  const cosignature = sdk.CosignatureTransaction.signTransactionHash(signer, hash);
  return firstValueFrom(factory.createTransactionRepository().announceAggregateBondedCosignature(cosignature));
}

/** Subscriptions at the gateway. */
async function subscriptionCount(): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${gateway.port}/metrics`)).text();
  return Number(/^symbol_gateway_websocket_subscriptions (\d+)$/m.exec(metrics)?.[1]);
}

const hears = (line: string, times = 1) =>
  until(() => received.filter((each) => each === line).length >= times, `${line}; received ${received.join(", ")}`);

test("announce: the confirmed transaction, and every step before", async () => {
  const signed = sign("transfer", alice, transfer(bob, 17));
  const confirmed = await answerOf(service.announce(signed, listener));
  expect(confirmed.transactionInfo?.hash).toBe(signed.hash);
  expect(confirmed.transactionInfo?.height.compact()).toBe(scene.fixture.devnet.height);
  await hears("newBlock block");
  await hears("confirmed transfer");
  expect(told()).toEqual(["unconfirmedAdded transfer", "unconfirmedRemoved transfer", "confirmed transfer"]);
});

test("announce: an error with the network's code", async () => {
  const signed = sign("too much", alice, transfer(bob, 8 * 10 ** 15));
  await expect(answerOf(service.announce(signed, listener))).rejects.toThrow("Failure_Core_Insufficient_Balance");
  expect(told()).toEqual(["status too much"]);
});

test("announceHashLockAggregateBonded, and three cosigners one by one", async () => {
  const { signed, lock } = bonded("aggregate");
  const added = await answerOf(service.announceHashLockAggregateBonded(lock, signed, listener));
  expect(added.transactionInfo?.hash).toBe(signed.hash);
  for (const [index, cosigner] of [bob, carol, dave].entries()) {
    await cosign(cosigner, signed);
    await hears("cosignatureAdded aggregate", index + 1);
  }
  await hears("unconfirmedAdded aggregate");
  await scene.harvest();
  await hears("confirmed aggregate");
  expect(told()).toEqual([
    "unconfirmedAdded aggregate's lock",
    "unconfirmedRemoved aggregate's lock",
    "confirmed aggregate's lock",
    "aggregateBondedAdded aggregate",
    "cosignatureAdded aggregate",
    "cosignatureAdded aggregate",
    "cosignatureAdded aggregate",
    "aggregateBondedRemoved aggregate",
    "unconfirmedAdded aggregate",
    "unconfirmedRemoved aggregate",
    "confirmed aggregate",
  ]);
  const confirmed = await firstValueFrom(
    factory.createTransactionRepository().getTransaction(signed.hash, sdk.TransactionGroup.Confirmed),
  );
  expect((confirmed as { cosignatures?: unknown[] }).cosignatures).toHaveLength(3);
});

test("announceAggregateBonded: without its lock, an error with the network's code", async () => {
  const { signed } = bonded("unlocked");
  await expect(answerOf(service.announceAggregateBonded(signed, listener))).rejects.toThrow(
    "Failure_LockHash_Unknown_Hash",
  );
});

test("announceAggregateBonded: one that reaches its deadline", async () => {
  const { signed, lock } = bonded("late", { deadlineMs: 10 * MINUTE_MS });
  await answerOf(service.announce(lock, listener));
  await answerOf(service.announceAggregateBonded(signed, listener));
  await cosign(bob, signed);
  await hears("cosignatureAdded late");
  scene.pass(10 * MINUTE_MS + 1_000);
  await scene.harvest();
  await hears("aggregateBondedRemoved late");
  await hears("status late");
  expect(
    told()
      .filter((line) => line.endsWith(" late"))
      .sort(),
  ).toEqual(["aggregateBondedAdded late", "aggregateBondedRemoved late", "cosignatureAdded late", "status late"]);
  const status = await firstValueFrom(factory.createTransactionStatusRepository().getTransactionStatus(signed.hash));
  expect([status.group, status.code]).toEqual(["failed", "Failure_Extension_Partial_Transaction_Cache_Prune"]);
});

test("announceAggregateBonded: one whose lock expires cannot be completed any more", async () => {
  const { signed, lock } = bonded("unhinged", { lockBlocks: 3 });
  await answerOf(service.announce(lock, listener));
  await answerOf(service.announceAggregateBonded(signed, listener));
  for (let blocks = 0; blocks < 4; blocks++) await scene.harvest();
  for (const cosigner of [bob, carol, dave]) await cosign(cosigner, signed);
  await hears("status unhinged");
  await hears("aggregateBondedRemoved unhinged");
  const status = await firstValueFrom(factory.createTransactionStatusRepository().getTransactionStatus(signed.hash));
  expect(status.group).toBe("failed");
  expect(status.code).toMatch(/^Failure_LockHash_/);
  expect(told()).not.toContain("unconfirmedAdded unhinged");
});

test("a cosigner who subscribes for his multisig accounts too receives their events, and those of a namespace by its id", async () => {
  const { fixture, make } = scene;
  const [frank, heidi] = [fixture.account("frank"), fixture.account("heidi")];
  const modification = make.embedded(frank, {
    type: "multisig_account_modification_transaction_v1",
    minApprovalDelta: 1,
    minRemovalDelta: 1,
    addressAdditions: [new Uint8Array(heidi.address)],
    addressDeletions: [],
  });
  await scene.confirm(make.aggregate({ embedded: [modification], signer: frank, cosigners: [heidi] }));
  const namespaceId = new sdk.NamespaceId("received");
  const registration = { type: "namespace_registration_transaction_v1", registrationType: "root", duration: 1000n };
  const id = BigInt(`0x${namespaceId.toHex()}`);
  await scene.confirm(make.transaction(heidi, { ...registration, name: "received", id }));
  const link = { type: "address_alias_transaction_v1", namespaceId: id, aliasAction: "link" };
  await scene.confirm(make.transaction(heidi, { ...link, address: new Uint8Array(heidi.address) }));

  const hashes: { cosigner: string[]; namespace: string[] } = { cosigner: [], namespace: [] };
  const note = (list: string[]) => (transaction: Transaction) => list.push(transaction.transactionInfo?.hash ?? "");
  subscriptions.add(listener.confirmed(accountOf("heidi").address, undefined, true).subscribe(note(hashes.cosigner)));
  subscriptions.add(listener.confirmed(namespaceId).subscribe(note(hashes.namespace)));
  const toMultisig = sign("to the multisig account", bob, transfer(accountOf("frank"), 3));
  const byAlias = sdk.TransferTransaction.create(deadline(), namespaceId, [currency(4)], sdk.EmptyMessage, NETWORK);
  const toNamespace = sign("to the namespace", bob, byAlias);
  // Nine methods for alice; the SDK requests the multisig graph before it subscribes for heidi and frank.
  await until(async () => (await subscriptionCount()) === 9 + 3, "all are subscribed");
  for (const { payload } of [toMultisig, toNamespace]) await scene.confirm(Buffer.from(payload, "hex"));
  await until(() => hashes.cosigner.length === 2 && hashes.namespace.length === 1, "all are received");
  expect(hashes).toEqual({ cosigner: [toMultisig.hash, toNamespace.hash], namespace: [toNamespace.hash] });
});

test("finalizedBlock", async () => {
  const { devnet } = scene.fixture;
  devnet.finalize(devnet.height);
  await hears("finalizedBlock block");
});
