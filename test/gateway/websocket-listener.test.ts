/** @jest-environment ./test/support/sdk-environment.js */
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Observable } from "rxjs";
import type { FinalizedBlock, IListener, NewBlock, Transaction, TransferTransaction } from "symbol-sdk-v2";
import sdk from "symbol-sdk-v2";
import { WebSocket } from "ws";
import { aliasAddressOf } from "../../catapult/entity/address.js";
import { NETWORK } from "../support/event-writer.js";
import { SeededRandom } from "../support/seeded-random.js";
import { until } from "../support/until.js";
import { MessageScene } from "./message-scene.js";
import { randomAddress, type TestAddress, type TestGateway } from "./websocket-fixture.js";

/** Used by wallets: the Listener of symbol-sdk 2. */
let gateway: TestGateway;
let listener: IListener;

afterEach(() => listener.close());

const scene = MessageScene.use();

beforeEach(async () => {
  gateway = await scene.start();
  const repositories = new sdk.RepositoryFactoryHttp(`http://127.0.0.1:${gateway.port}`, {
    networkType: sdk.NetworkType.TEST_NET,
    websocketInjected: WebSocket,
  });
  listener = repositories.createListener();
  await listener.open();
});

const random = new SeededRandom();
const hex = (bytes: number) => random.bytes(bytes).toString("hex").toUpperCase();

function blockData(height: number) {
  return {
    block: {
      signature: hex(64),
      signerPublicKey: hex(32),
      version: 1,
      network: NETWORK,
      type: 33091,
      height: String(height),
      timestamp: "221969013010",
      difficulty: "10000000000000",
      feeMultiplier: 100,
      previousBlockHash: hex(32),
      transactionsHash: hex(32),
      receiptsHash: hex(32),
      stateHash: hex(32),
      beneficiaryAddress: randomAddress().bytes.toString("hex").toUpperCase(),
      proofGamma: hex(32),
      proofVerificationHash: hex(16),
      proofScalar: hex(32),
    },
    meta: { hash: hex(32), generationHash: hex(32) },
  };
}

function transferData(recipient: Buffer, amount: string) {
  return {
    transaction: {
      signature: hex(64),
      signerPublicKey: hex(32),
      version: 1,
      network: NETWORK,
      type: 16724,
      maxFee: "17600",
      deadline: "221976213010",
      recipientAddress: recipient.toString("hex").toUpperCase(),
      message: "0048656C6C6F",
      mosaics: [{ id: "2F6FF2A31133487F", amount }],
    },
    meta: { hash: hex(32), merkleComponentHash: hex(32), height: "376" },
  };
}

async function confirm(addresses: readonly TestAddress[], amount: string): Promise<string> {
  const data = transferData(addresses[0]!.bytes, amount);
  await scene.writer.write({ channel: "confirmedAdded", data, addresses: addresses.map(({ bytes }) => bytes) });
  return data.meta.hash;
}

describe("the Listener of symbol-sdk 2", () => {
  test("newBlock", async () => {
    const heard: NewBlock[] = [];
    listener.newBlock().subscribe((block) => heard.push(block));
    await gateway.subscribed(1);
    const data = [blockData(376), blockData(377)];
    for (const each of data) await scene.writer.write({ channel: "block", data: each });
    await until(() => heard.length === 2, "two blocks");
    expect(heard.map(({ hash, height }) => [hash, height.toString()])).toEqual(
      data.map(({ meta, block }) => [meta.hash, block.height]),
    );
    expect(heard[0]?.beneficiaryAddress?.plain()).toMatch(/^T[A-Z2-7]{38}$/);
  });

  test("finalizedBlock", async () => {
    const heard: FinalizedBlock[] = [];
    listener.finalizedBlock().subscribe((block) => heard.push(block));
    await gateway.subscribed(1);
    const hash = hex(32);
    const data = { finalizationEpoch: 14, finalizationPoint: 3, height: "512", hash };
    await scene.writer.write({ channel: "finalizedBlock", data });
    await until(() => heard.length === 1, "one finalized block");
    expect(heard[0]).toMatchObject({ hash, finalizationEpoch: 14, finalizationPoint: 3 });
    expect(heard[0]?.height.toString()).toBe("512");
  });

  test("confirmed: each address gets its own, and by hash", async () => {
    const [mine, other] = [randomAddress(), randomAddress()];
    const heard: Transaction[] = [];
    listener.confirmed(sdk.Address.createFromRawAddress(mine.text)).subscribe((transaction) => heard.push(transaction));
    await gateway.subscribed(1);
    await confirm([other], "1");
    const expected = [await confirm([mine], "2"), await confirm([other, mine], "3")];
    await until(() => heard.length === 2, "two transactions");
    expect(heard.map((transaction) => transaction.transactionInfo?.hash)).toEqual(expected);
    const transfer = heard[0] as TransferTransaction;
    expect(transfer.recipientAddress.plain()).toBe(mine.text);
    expect(transfer.mosaics[0]?.amount.toString()).toBe("2");
  });

  test("confirmed: a namespace id in place of the address", async () => {
    const id = new sdk.NamespaceId("cat.currency");
    const alias = { bytes: aliasAddressOf(BigInt(`0x${id.toHex()}`), NETWORK), text: "" };
    const heard: Transaction[] = [];
    listener.confirmed(id).subscribe((transaction) => heard.push(transaction));
    await gateway.subscribed(1);
    const hash = await confirm([alias, randomAddress()], "5");
    await until(() => heard.length === 1, "one transaction");
    expect(heard[0]?.transactionInfo?.hash).toBe(hash);
    expect((heard[0] as TransferTransaction).recipientAddress.plain()).toBe(id.toHex());
  });

  test("every other method subscribes without an error", async () => {
    const address = sdk.Address.createFromRawAddress(randomAddress().text);
    const streams = [
      listener.unconfirmedAdded(address),
      listener.unconfirmedRemoved(address),
      listener.aggregateBondedAdded(address),
      listener.aggregateBondedRemoved(address),
      listener.cosignatureAdded(address),
      listener.status(address),
    ];
    const failures: unknown[] = [];
    for (const stream of streams as Observable<unknown>[]) stream.subscribe({ error: (error) => failures.push(error) });
    await gateway.subscribed(streams.length);
    expect(failures).toEqual([]);
    expect(gateway.stats.requestsRejected).toBe(0);
  });

  test("the client gets the reason why the gateway closed", async () => {
    const repositories = new sdk.RepositoryFactoryHttp(`http://127.0.0.1:${gateway.port}`, {
      networkType: sdk.NetworkType.TEST_NET,
      websocketInjected: WebSocket,
    });
    const other = repositories.createListener();
    const closed: { code: number }[] = [];
    await other.open((event) => closed.push(event));
    await scene.stop(gateway);
    await until(() => closed.length === 1, "the client noticed");
    expect(closed[0]?.code).toBe(1001);
  });
});
