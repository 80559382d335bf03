import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { transactionHash } from "../../catapult/entity/hashes.js";
import { openDatabase } from "../../database/connection.js";
import { readHead } from "../../database/queries/head.js";
import { TestClient } from "../gateway/websocket-fixture.js";
import { createMigratedDatabase } from "../support/database.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { startProcess } from "../support/process.js";
import { until } from "../support/until.js";
import { type Benchmark, type Figure, quantile } from "./benchmark.js";
import { GatewayProgram } from "./gateway-program.js";

const GROUPS = 5;
const ANNOUNCEMENTS = 60;
const PAUSE_MS = 40;

/** From the announcement to the message. */
export const webSocketAnnounce: Benchmark = {
  name: "websocket-announce",
  title: "WebSocket: from an announcement to unconfirmedAdded",
  about:
    "Transfers are announced through PUT /transactions, one every 40 ms, to the devnet; indexer (subscribed to the " +
    "node's broker) and gateway run in their own processes. A real node collects announcements for up to half a second " +
    "before it processes them; the devnet does not here. p95: 95 % of 60 transfers are at least this fast.",
  run,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const node = await DevnetFixture.start({ zmqPort: 0, gatherMs: 0 });
  const { devnet } = node;
  const database = await createMigratedDatabase();
  const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-bench-"));
  const env = {
    DATABASE_URL: database.url,
    CATAPULT_NODES: `127.0.0.1:${devnet.port}`,
    CATAPULT_ZMQ: devnet.zmqEndpoint!,
    CATAPULT_RESOURCES: devnet.resourcesDirectory,
    DATA_DIR: folder,
  };
  const indexer = startProcess(["indexer"], { env, cwd: folder });
  const gateway = await GatewayProgram.start(database.url, env);
  const db = openDatabase({ url: database.url, poolSize: 1 });
  const indexed = async () => (await readHead(db))?.height === devnet.height;
  await until(indexed, "the first block is indexed", 30_000);
  // A subscription to the broker takes a moment: one block must have been received.
  await devnet.harvest(1);
  await until(indexed, "the second block is indexed", 30_000);

  const client = await TestClient.connect(`ws://127.0.0.1:${gateway.port}/ws`);
  client.subscribe("unconfirmedAdded");
  await gateway.subscribed(1);
  const receivedAt = new Map<string, number>();
  client.socket.on("message", (data) => {
    const { meta } = JSON.parse(data.toString()).data as { meta?: { hash: string } };
    if (meta) receivedAt.set(meta.hash, performance.now());
  });
  const takenAt = new Map<string, number>();
  devnet.events.on("unconfirmedAdded", ({ hash }) => takenAt.set(hexOf(hash), performance.now()));

  const [alice, bob] = devnet.accounts;
  const whole: number[] = [];
  const ours: number[] = [];
  for (let group = 0; group < GROUPS; group++) {
    const announcedAt = new Map<string, number>();
    for (let n = 0; n < ANNOUNCEMENTS; n++) {
      const amount = BigInt(group * ANNOUNCEMENTS + n + 1);
      const payload = signedPayload(devnet, alice!, { recipientAddress: bob!.address, amount });
      announcedAt.set(hexOf(transactionHash(payload, devnet.network)), performance.now());
      await announce(gateway.port, payload);
      await sleep(PAUSE_MS);
    }
    const hashes = [...announcedAt.keys()];
    await until(() => hashes.every((hash) => receivedAt.has(hash)), "all are received", 30_000);
    whole.push(
      quantile(
        hashes.map((hash) => receivedAt.get(hash)! - announcedAt.get(hash)!),
        0.95,
      ),
    );
    ours.push(
      quantile(
        hashes.map((hash) => receivedAt.get(hash)! - takenAt.get(hash)!),
        0.95,
      ),
    );
    await devnet.harvest(1);
    await until(indexed, "the block is indexed", 30_000);
    say(`${ANNOUNCEMENTS} announcements received`);
  }
  client.socket.terminate();
  await indexer.kill();
  await gateway.stop();
  await db.destroy();
  await database.drop();
  await node.stop();
  rmSync(folder, { recursive: true });
  return [
    { what: "announcement to unconfirmedAdded, p95", samples: whole, unit: "ms" },
    { what: "of that, from the node's pool to the client, p95", samples: ours, unit: "ms" },
  ];
}

async function announce(port: number, payload: Buffer): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/transactions`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ payload: hexOf(payload) }),
  });
  if (response.status !== 202) throw new Error(`An announcement was rejected: ${await response.text()}`);
}

function hexOf(bytes: Buffer): string {
  return bytes.toString("hex").toUpperCase();
}
