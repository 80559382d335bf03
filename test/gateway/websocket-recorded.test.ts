import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import type { IListener } from "symbol-sdk-v2";
import sdk from "symbol-sdk-v2";
import { WebSocket } from "ws";
import { BranchNode } from "../support/branch-node.js";
import { serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { describeRecorded } from "../support/describe-chains.js";
import { EventWriter } from "../support/event-writer.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { recordedProofs } from "../support/recorded-index.js";
import { recordedNode } from "../support/recorded-node.js";
import { until } from "../support/until.js";
import { TestClient, TestGateway } from "./websocket-fixture.js";

const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

/** Node, indexer, database, gateway, and the client library of wallets, each over real sockets. */
describeRecorded("the recorded chain, followed live and received by clients", (chain) => {
  const recording = recordedNode(chain);
  const heights = recording.blocks.length;
  let node: BranchNode;
  let index: IndexedDatabase;
  let gateway: TestGateway;
  let listener: IListener;

  beforeAll(async () => {
    node = await BranchNode.start({ ...recording, credentials: serverCredentials, log: silentLog });
    index = await IndexedDatabase.create();
    // The network is known before the first block, so addresses can be subscribed from that block on.
    const writer = new EventWriter(index.url);
    const { identifier, generationHashSeed } = chain.network;
    await writer.begin(identifier, generationHashSeed);
    await writer.close();
    gateway = await TestGateway.start({ databaseUrl: index.url });
    const repositories = new sdk.RepositoryFactoryHttp(`http://127.0.0.1:${gateway.port}`, {
      networkType: sdk.NetworkType.TEST_NET,
      websocketInjected: WebSocket,
    });
    listener = repositories.createListener();
    await listener.open();
  });

  afterAll(async () => {
    listener.close();
    await gateway.close();
    await index.drop();
    await node.close();
  });

  test("every block, finalization and transaction is received once, in order, and is decodable", async () => {
    const busiest = chain.networkFile.accounts.find(({ name }) => name === "user5")!.address;
    const blocks: string[] = [];
    const finalized: string[] = [];
    const mine: (string | undefined)[] = [];
    listener.newBlock().subscribe(({ hash }) => blocks.push(hash));
    listener.finalizedBlock().subscribe(({ hash }) => finalized.push(hash));
    const address = sdk.Address.createFromRawAddress(busiest);
    listener.confirmed(address).subscribe(({ transactionInfo }) => mine.push(transactionInfo?.hash));
    const everything = await TestClient.connect(gateway.url);
    everything.subscribe("confirmedAdded");
    await gateway.subscribed(4);

    node.showProofs(recordedProofs(chain));
    node.finalize({ epoch: 16, point: 14, height: 592 });
    await index.follow(node.address);
    await index.waitFor((head) => head.height === heights && head.finalization.height === 592);

    const stored = await index.db
      .selectFrom("transactions")
      .select(["id", "hash"])
      .where(sql<boolean>`type % 2 = 0`)
      .orderBy("id")
      .execute();
    const { rows: concerning } = await sql<{ hash: Buffer }>`
      select distinct t.id, t.hash from transactions t
      join transaction_addresses a on a.id / 4096 = t.id / 4096
      join keys k on k.id = a.account / 2
      where t.type % 2 = 0 and k.key = ${Buffer.from(address.encoded(), "hex")} order by t.id`.execute(index.db);

    await everything.received(stored.length);
    await until(() => blocks.length === heights && mine.length === concerning.length, "all were received");
    expect(blocks).toEqual(
      (await index.db.selectFrom("blocks").select("hash").orderBy("height").execute()).map(({ hash }) => hex(hash)),
    );
    expect(finalized.at(-1)).toBe(hex((await index.waitFor(() => true)).finalization.hash));
    expect(mine).toEqual(concerning.map(({ hash }) => hex(hash)));
    const heard = everything.messages.map(({ data }) => (data as unknown as { meta: { hash: string } }).meta.hash);
    expect(heard).toEqual(stored.map(({ hash }) => hex(hash!)));
    process.stderr.write(
      `received: ${blocks.length} blocks, ${heard.length} transactions, ${mine.length} of one account\n`,
    );
  });

  test("the client can decode every transaction of the chain", async () => {
    const { rows } = await sql<{ data: string }>`
      select data from events where channel = 'confirmedAdded' order by sequence`.execute(index.db);
    const types = new Set<number>();
    const reader = listener as unknown as { handleMessage(message: object, resolve: () => void): void };
    for (const { data } of rows) {
      const message = { topic: "confirmedAdded", data: JSON.parse(data) };
      reader.handleMessage(message, () => undefined);
      types.add(message.data.transaction.type);
    }
    expect(types.size).toBeGreaterThan(15);
  });
});
