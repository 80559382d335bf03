import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { aliasAddressOf, encodeAddress } from "../../catapult/entity/address.js";
import { generateNamespaceId } from "../../catapult/entity/generated-id.js";
import { type ChannelName, channels } from "../../catapult/nouns/message.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import type { Gateway } from "../../gateway/server.js";
import { EventWriter } from "../support/event-writer.js";
import { LifeScene, type Source } from "../support/lifecycle-scene.js";
import { startTestGateway } from "../support/test-gateway.js";
import { until } from "../support/until.js";
import { TestClient } from "./websocket-fixture.js";

const sources: readonly Source[] = ["broker", "pool"];
const NAMESPACE = "wanted";
const MINUTE_S = 60;

/** One event received by a client of all channels: the addresses of its topics. */
interface HeardEvent {
  readonly channel: string;
  readonly hash: string;
  /** A cosigner's public key, or a status code. */
  readonly detail?: string;
  /** "all" for the topic without an address. */
  readonly on: readonly string[];
}

/**
 * The state table of the specification, row by row: announced through PUT, received at /ws by one client that subscribes to
 * every channel without an address, for each account of the devnet, and for a namespace.
 */
describe.each(sources)("the state table at /ws, pending transactions from the %s", (source) => {
  let scene: LifeScene;
  let gateway: Gateway;
  let client: TestClient;
  let writer: EventWriter;
  let accounts: Record<string, DevnetAccount>;
  let alias: Buffer;
  /** Names of the topics' addresses. */
  const names = new Map<string, string>();

  beforeAll(async () => {
    scene = await LifeScene.start(source);
    const { devnet } = scene.fixture;
    accounts = Object.fromEntries(devnet.accounts.map((account) => [account.name, account]));
    const namespaceId = generateNamespaceId(NAMESPACE);
    alias = aliasAddressOf(namespaceId, devnet.network.identifier);
    await registerNamespace(namespaceId);
    gateway = await startTestGateway({
      databaseUrl: scene.index.url,
      databasePoolSize: 4,
      nodes: [devnet],
      resourcesDirectory: devnet.resourcesDirectory,
    });
    writer = new EventWriter(scene.index.url);
    client = await listenToEverything(namespaceId.toString(16).toUpperCase().padStart(16, "0"));
  });

  beforeEach(async () => {
    await heard();
  });

  afterAll(async () => {
    await client?.close();
    await gateway?.stop();
    await writer?.close();
    await scene?.stop();
  });

  async function registerNamespace(id: bigint): Promise<void> {
    const { grace } = accounts;
    const registration = { type: "namespace_registration_transaction_v1", registrationType: "root" };
    await scene.confirm(scene.make.transaction(grace!, { ...registration, duration: 1000n, name: NAMESPACE, id }));
    const link = { type: "address_alias_transaction_v1", namespaceId: id, aliasAction: "link" };
    await scene.confirm(scene.make.transaction(grace!, { ...link, address: new Uint8Array(grace!.address) }));
  }

  async function listenToEverything(namespaceId: string): Promise<TestClient> {
    for (const { name, address } of Object.values(accounts)) names.set(encodeAddress(address), name);
    names.set(namespaceId, NAMESPACE);
    const listener = await TestClient.connect(`ws://127.0.0.1:${gateway.port}/ws`);
    for (const [channel, { addressed }] of Object.entries(channels)) {
      listener.subscribe(channel);
      if (addressed) for (const address of names.keys()) listener.subscribe(`${channel}/${address}`);
    }
    // Subscriptions with an address take a moment: wait until the last of them receives.
    const heardOn = new Set<string>();
    const concerned = [...Object.values(accounts).map(({ address }) => address), alias];
    const wanted = Object.values(channels).filter(({ addressed }) => addressed).length * names.size;
    await until(async () => {
      for (const [channel, { addressed }] of Object.entries(channels)) {
        if (addressed) await writer.write({ channel: channel as ChannelName, data: {}, addresses: concerned });
      }
      for (const { topic } of listener.messages) if (topic.includes("/")) heardOn.add(topic);
      return heardOn.size === wanted;
    }, "every topic receives");
    return listener;
  }

  /** Transaction messages since the last call, in order; messages in transit are waited for. */
  async function heard(): Promise<HeardEvent[]> {
    const fence = await writer.write({ channel: "droppedBlocks", data: {}, height: 0 });
    await until(() => client.messages.some(({ sequence }) => sequence === fence), "the fence is received");
    const events = new Map<number, HeardEvent & { on: string[] }>();
    for (const { topic, sequence, data } of client.messages.splice(0)) {
      const [channel = "", address] = topic.split("/");
      if (["block", "finalizedBlock", "droppedBlocks"].includes(channel)) continue;
      const { hash, meta, parentHash, signerPublicKey, code } = data as unknown as Record<string, string> & {
        meta?: { hash: string };
      };
      const event = events.get(sequence) ?? {
        channel,
        hash: hash ?? meta?.hash ?? parentHash ?? "",
        ...((channel === "cosignature" || channel === "status") && { detail: signerPublicKey ?? code }),
        on: [],
      };
      event.on.push(address === undefined ? "all" : (names.get(address) ?? address));
      events.set(sequence, event);
    }
    return [...events].sort(([a], [b]) => a - b).map(([, event]) => ({ ...event, on: event.on.sort() }));
  }

  /** Waits for a message about a transaction, and returns the messages up to it. */
  async function heardUpTo(hash: Buffer, ...last: ChannelName[]): Promise<HeardEvent[]> {
    for (const channel of last) await scene.heard(hash, channel);
    return heard();
  }

  async function put(path: string, body: object): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(202);
  }

  const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();
  const on = (...concerned: string[]) => ["all", ...concerned].sort();
  const told = (hash: Buffer, concerned: string[], ...list: (ChannelName | [ChannelName, string])[]): HeardEvent[] =>
    list.map((one) => {
      const [channel, detail] = typeof one === "string" ? [one] : one;
      return { channel, hash: hex(hash), ...(detail !== undefined && { detail }), on: on(...concerned) };
    });
  const byChannel = (events: HeardEvent[]) => [...events].sort((a, b) => a.channel.localeCompare(b.channel));

  async function announce(payload: Buffer): Promise<Buffer> {
    const hash = scene.make.hashOf(payload);
    await put("/transaction", { payload: hex(payload) });
    await until(() => scene.fixture.devnet.isUnconfirmed(hash), "the node has it");
    return hash;
  }

  async function cosign(name: string, hash: Buffer): Promise<void> {
    const detached = scene.make.cosignature(accounts[name]!, hash);
    await put("/transactions/cosignature", {
      version: detached.readBigUInt64LE(0).toString(),
      signerPublicKey: hex(detached.subarray(8, 40)),
      signature: hex(detached.subarray(40, 104)),
      parentHash: hex(detached.subarray(104)),
    });
  }

  /** A bonded aggregate of alice that bob, carol and dave have to cosign, with a transfer to erin; its lock is confirmed. */
  async function bondedWithLock(deadlineSeconds = 60 * MINUTE_S): Promise<{ payload: Buffer; hash: Buffer }> {
    const { alice, erin } = accounts;
    const cosigners = ["bob", "carol", "dave"].map((name) => accounts[name]!);
    const embedded = [alice!, ...cosigners].map((signer) =>
      scene.make.embedded(signer, scene.transfer(erin!.address, 1n)),
    );
    const payload = scene.make.aggregate(
      { embedded, signer: alice!, isBonded: true },
      { deadlineSeconds, cosignaturesToCome: 3 },
    );
    const hash = scene.make.hashOf(payload);
    await scene.confirm(scene.make.transaction(alice!, scene.hashLock(hash)));
    await heard();
    return { payload, hash };
  }

  async function wait(payload: Buffer): Promise<Buffer> {
    await put("/transactions/partial", { payload: hex(payload) });
    return scene.make.hashOf(payload);
  }

  const concerned = ["alice", "bob", "carol", "dave", "erin"];

  test("announced through PUT /transaction: unconfirmedAdded; in a block: unconfirmedRemoved, confirmedAdded", async () => {
    const { alice, bob } = accounts;
    const hash = await announce(scene.make.transaction(alice!, scene.transfer(bob!.address, 5n)));
    expect(await heardUpTo(hash, "unconfirmedAdded")).toEqual(told(hash, ["alice", "bob"], "unconfirmedAdded"));
    await scene.harvest();
    expect(await heard()).toEqual(told(hash, ["alice", "bob"], "unconfirmedRemoved", "confirmedAdded"));
  });

  test("a transaction that names a namespace is reported to the namespace and to the account behind it", async () => {
    const hash = await announce(scene.make.transaction(accounts.alice!, scene.transfer(alias, 2n)));
    const concerned = ["alice", "grace", NAMESPACE];
    expect(await heardUpTo(hash, "unconfirmedAdded")).toEqual(told(hash, concerned, "unconfirmedAdded"));
    await scene.harvest();
    expect(await heard()).toEqual(told(hash, concerned, "unconfirmedRemoved", "confirmedAdded"));
  });

  test("an AggregateBondedTransaction: partialAdded; cosigned: cosignature; complete: partialRemoved, unconfirmedAdded", async () => {
    const { payload, hash } = await bondedWithLock();
    await wait(payload);
    expect(await heardUpTo(hash, "partialAdded")).toEqual(told(hash, concerned, "partialAdded"));
    for (const [index, name] of ["carol", "bob"].entries()) {
      await cosign(name, hash);
      await scene.heard(hash, "cosignature", index + 1);
      expect(await heard()).toEqual(told(hash, concerned, ["cosignature", hex(accounts[name]!.publicKey)]));
    }
    await cosign("dave", hash);
    expect(await heardUpTo(hash, "unconfirmedAdded")).toEqual(
      told(hash, concerned, ["cosignature", hex(accounts.dave!.publicKey)], "partialRemoved", "unconfirmedAdded"),
    );
    await scene.harvest();
    expect(await heard()).toEqual(told(hash, concerned, "unconfirmedRemoved", "confirmedAdded"));
  });

  test("partial until the deadline: partialRemoved, and a status", async () => {
    const { payload, hash } = await bondedWithLock(10 * MINUTE_S);
    await wait(payload);
    await heardUpTo(hash, "partialAdded");
    scene.pass((10 * MINUTE_S + 1) * 1_000);
    await scene.harvest();
    const code = "Failure_Extension_Partial_Transaction_Cache_Prune";
    expect(byChannel(await heardUpTo(hash, "partialRemoved", "status"))).toEqual(
      told(hash, concerned, "partialRemoved", ["status", code]),
    );
  });

  test("unconfirmed until the deadline: unconfirmedRemoved, and a status", async () => {
    const { alice, bob } = accounts;
    const payload = scene.make.transaction(alice!, scene.transfer(bob!.address, 6n), {
      deadlineSeconds: 10 * MINUTE_S,
    });
    const hash = await announce(payload);
    await heardUpTo(hash, "unconfirmedAdded");
    scene.pass((10 * MINUTE_S + 1) * 1_000);
    await scene.harvest();
    expect(byChannel(await heardUpTo(hash, "unconfirmedRemoved", "status"))).toEqual(
      byChannel(told(hash, ["alice", "bob"], "unconfirmedRemoved", ["status", "Failure_Core_Past_Deadline"])),
    );
  });

  // Only the broker reports why a transaction was rejected.
  if (source === "broker") {
    test("rejected: a status, and nothing else", async () => {
      const { heidi, bob } = accounts;
      const payload = scene.make.transaction(heidi!, scene.transfer(bob!.address, 10n ** 15n * 8n));
      const hash = scene.make.hashOf(payload);
      await put("/transactions", { payload: hex(payload) });
      expect(await heardUpTo(hash, "status")).toEqual(
        told(hash, ["bob", "heidi"], ["status", "Failure_Core_Insufficient_Balance"]),
      );
    });
  }
});
