import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { idText } from "../../catapult/json/format.js";
import type { Gateway } from "../../gateway/server.js";
import { LifeScene } from "../support/lifecycle-scene.js";
import { until } from "../support/until.js";

/** What programs of symbol/product and symbol/explorer ask and read, beside those whose own code runs in other tests. */

let scene: LifeScene;
let gateway: Gateway;

beforeAll(async () => {
  scene = await LifeScene.start("broker");
  gateway = await scene.serve({ compatibility: "catapult-rest" });
});

afterAll(async () => {
  await gateway?.stop();
  await scene?.stop();
});

async function get(route: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${gateway.port}${route}`);
  expect({ route, status: answer.status }).toEqual({ route, status: 200 });
  return (await answer.json()) as Record<string, unknown>;
}

test("the listener of the wallets: each of its channels, with the members that it reads", async () => {
  const [alice, bob] = ["alice", "bob"].map((name) => scene.fixture.account(name)) as [never, never];
  const { address } = alice as { address: Buffer };
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/ws`);
  const received: string[] = [];
  let uid = "";
  socket.on("message", (bytes) => {
    const message = JSON.parse(String(bytes)) as { uid?: string; topic?: string; data?: Record<string, never> };
    if (message.uid !== undefined) {
      uid = message.uid;
      return;
    }
    const [channel, account] = message.topic?.split("/") ?? [];
    const { meta, hash, parentHash, block } = (message.data ?? {}) as Record<string, Record<string, string>>;
    if (channel !== "block") expect(account).toBe(encodeAddress(address));
    const named = meta?.hash ?? hash ?? parentHash;
    if (channel !== "block") received.push(`${channel} ${named}`);
    else if (block?.height === undefined) received.push("a block without a height");
  });
  await until(() => uid !== "", "the first message has the uid");
  const channels = ["confirmedAdded", "unconfirmedAdded", "unconfirmedRemoved", "partialAdded", "partialRemoved"];
  for (const channel of [...channels, "cosignature", "status"])
    socket.send(JSON.stringify({ uid, subscribe: `${channel}/${encodeAddress(address)}` }));
  socket.send(JSON.stringify({ uid, subscribe: "block" }));
  // Subscriptions are answered by nothing: the next message of the socket's own request says that they were read.
  socket.ping();
  await new Promise((resolve) => socket.once("pong", resolve));
  const embedded = [alice, bob].map((signer) => scene.make.embedded(signer, scene.transfer(address, 1n)));
  const aggregate = scene.make.aggregate({ embedded, signer: alice, isBonded: true }, { cosignaturesToCome: 1 });
  const hash = hex(await scene.bond(alice, aggregate));
  await scene.fixture.client.pushCosignatures([scene.make.cosignature(bob, scene.make.hashOf(aggregate))]);
  const ofAggregate = () => received.filter((one) => one.endsWith(hash)).map((one) => one.split(" ")[0]);
  await until(() => ofAggregate().includes("unconfirmedAdded"), "it is complete");
  await scene.harvest();
  await until(() => ofAggregate().includes("confirmedAdded"), "it is confirmed");
  expect(ofAggregate()).toEqual([
    "partialAdded",
    "cosignature",
    "partialRemoved",
    "unconfirmedAdded",
    "unconfirmedRemoved",
    "confirmedAdded",
  ]);
  const poor = scene.make.transaction(alice, scene.transfer(address, 10n ** 15n));
  await scene.fixture.client.pushTransactions([poor]);
  await until(() => received.includes(`status ${hex(scene.make.hashOf(poor))}`), "the status of a rejected one");
  expect(received.filter((one) => /undefined|without/.test(one))).toEqual([]);
  socket.close();
});

test("the crawler of nodewatch, and its lists of the rich and of harvesters", async () => {
  const info = await get("/node/info");
  for (const member of ["version", "publicKey", "nodePublicKey", "networkGenerationHashSeed", "roles", "port"])
    expect(info).toHaveProperty(member);
  expect(Array.isArray(await get("/node/peers"))).toBe(true);
  const chain = await get("/chain/info");
  const final = (chain as { latestFinalizedBlock: { finalizationEpoch: number; height: string } }).latestFinalizedBlock;
  const { finalizationEpoch, height } = final;
  expect(await get(`/finalization/proof/epoch/${finalizationEpoch}`)).toMatchObject({ height, finalizationEpoch });
  const mosaicId = idText(scene.fixture.devnet.currencyMosaicId);
  const rich = await get(`/accounts?mosaicId=${mosaicId}&orderBy=balance&order=desc&pageSize=100&pageNumber=1`);
  const { data } = rich as { data: { account: { address: string; mosaics: { id: string; amount: string }[] } }[] };
  const amounts = data.map(({ account }) => BigInt(account.mosaics.find(({ id }) => id === mosaicId)?.amount ?? -1));
  expect(amounts.length).toBeGreaterThan(1);
  expect(amounts).toEqual(amounts.toSorted((left, right) => (left < right ? 1 : -1)));
  const { block } = (await get(`/blocks/${String(chain.height)}`)) as { block: { signerPublicKey: string } };
  const { account } = (await get(`/accounts/${block.signerPublicKey}`)) as { account: Record<string, unknown> };
  expect(account).toHaveProperty("supplementalPublicKeys");
});
