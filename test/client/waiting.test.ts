import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { type ConnectionState, GatewayClient } from "../../client/index.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { freePort } from "../support/free-port.js";
import { LifeScene } from "../support/lifecycle-scene.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { until } from "../support/until.js";

/** Default settings, except that a test does not wait for seconds between two polls. */
const POLL = { pollMs: 20 };

let scene: LifeScene;
let gateway: TestProcess;
let port: number;
let client: GatewayClient;
let alice: DevnetAccount;
let bob: DevnetAccount;

beforeAll(async () => {
  scene = await LifeScene.start("broker");
  port = await freePort();
  [alice, bob] = ["alice", "bob"].map((name) => scene.fixture.account(name)) as [DevnetAccount, DevnetAccount];
});

beforeEach(async () => {
  await startGateway();
  client = new GatewayClient(`http://127.0.0.1:${port}`, { WebSocket });
});

afterEach(() => gateway.kill());

afterAll(() => scene?.stop());

/** Always on the same port. */
async function startGateway(): Promise<void> {
  const { devnet } = scene.fixture;
  gateway = startProcess(["gateway"], {
    env: {
      DATABASE_URL: scene.index.url,
      CATAPULT_NODES: `${devnet.host}:${devnet.port}`,
      CATAPULT_RESOURCES: devnet.resourcesDirectory,
      HOST: "127.0.0.1",
      PORT: String(port),
    },
  });
  await gateway.waitFor(/"msg":"Listening"/);
}

const transfer = (amount: bigint) => scene.make.transaction(alice, scene.transfer(bob.address, amount));
const hexOf = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

async function announce(payload: Buffer): Promise<string> {
  await client.put("/transactions", { body: { payload: hexOf(payload) } });
  return hexOf(scene.make.hashOf(payload));
}

/** Until when a promise is open. */
function watch<T>(promise: Promise<T>) {
  const watched = { isOpen: true, promise };
  const end = () => {
    watched.isOpen = false;
  };
  promise.then(end, end);
  return watched;
}

test("unconfirmed, confirmed, final; the gateway is killed and restarted in between", async () => {
  const payload = transfer(1n);
  const hash = hexOf(scene.make.hashOf(payload));
  const unconfirmed = client.waitFor(hash, { until: "unconfirmed", ...POLL });
  const confirmed = watch(client.waitFor(hash, POLL));
  const final = watch(client.waitFor(hash, { until: "final", ...POLL }));
  await announce(payload);
  expect(await unconfirmed).toMatchObject({ hash, group: "unconfirmed", code: "Success", height: "0" });
  expect(confirmed.isOpen).toBe(true);
  await gateway.kill();
  const height = await scene.harvest();
  await startGateway();
  expect(await confirmed.promise).toMatchObject({ hash, group: "confirmed", height: String(height) });
  await gateway.kill();
  await startGateway();
  expect(final.isOpen).toBe(true);
  scene.fixture.devnet.finalize(height);
  expect(await final.promise).toMatchObject({ hash, group: "confirmed", height: String(height) });
});

test("a transaction that fails throws its reason", async () => {
  const hash = await announce(transfer(10n ** 16n));
  await expect(client.waitFor(hash, POLL)).rejects.toMatchObject({
    name: "GatewayError",
    code: "Failure_Core_Insufficient_Balance",
    message: `Transaction ${hash} failed: Failure_Core_Insufficient_Balance`,
  });
});

test("a signal ends waiting, and so does an invalid hash", async () => {
  const signal = AbortSignal.timeout(100);
  await expect(client.waitFor("0".repeat(64), { signal, ...POLL })).rejects.toMatchObject({ name: "TimeoutError" });
  await expect(client.waitFor("zz", POLL)).rejects.toMatchObject({ code: "InvalidContent", status: 400 });
});

test("the connection's states are reported; delays of a longer outage have a maximum", async () => {
  client = new GatewayClient(`http://127.0.0.1:${port}`, { WebSocket, retryMs: 20, maxRetryMs: 40 });
  const states: ConnectionState[] = [];
  const end = client.onConnection((state) => states.push(state));
  expect(client.connection).toBe("idle");
  const blocks: string[] = [];
  const subscription = client.subscribe("block", ({ data }) => blocks.push(data.block.height));
  await until(() => client.connection === "open", "the connection is open");
  expect(states).toEqual(["connecting", "open"]);

  await gateway.kill();
  // Without a maximum, the delay before the last one would be 22 minutes.
  await until(() => states.filter((state) => state === "lost").length >= 17, "many attempts");
  const height = await scene.harvest();
  await startGateway();
  await until(() => blocks.includes(String(height)), "the block that was missed");
  expect(client.connection).toBe("open");
  expect(new Set(states.slice(2))).toEqual(new Set(["lost", "connecting", "open"]));

  subscription.close();
  expect(client.connection).toBe("idle");
  end();
  client.subscribe("block", () => undefined).close();
  expect(states.at(-1)).toBe("idle");
});
