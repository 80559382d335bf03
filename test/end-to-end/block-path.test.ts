import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { encodeAddress } from "../../catapult/entity/address.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { FilesRun, printFiles } from "../support/files-run.js";
import { INSPECTED } from "../support/inspector.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { sendJson } from "../support/rest-client.js";
import { until } from "../support/until.js";

/** More files of ours than this in the way of a block, or of a transaction, are hard to hold in the head. */
const MAX_OF_BLOCK = 180;
const MAX_OF_TRANSFER = 250;

let folder: string;
let node: DevnetFixture;
let database: TestDatabase;
let url: string;
let socket: WebSocket;
let run: FilesRun;
const programs: TestProcess[] = [];
/** Messages of the subscribed topics. */
const messages: { readonly topic: string }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-block-path-"));
  node = await DevnetFixture.start();
  await node.devnet.harvest(3);
  database = await createMigratedDatabase();
  const env = {
    ...{ DATABASE_URL: database.url, CATAPULT_NODES: `127.0.0.1:${node.devnet.port}` },
    ...{ CATAPULT_RESOURCES: node.devnet.resourcesDirectory, DATA_DIR: folder, HOST: "127.0.0.1", PORT: "0" },
    ...INSPECTED,
  };
  for (const command of ["indexer", "gateway"]) programs.push(startProcess([command], { env, cwd: folder }));
  const line = await programs[1]!.waitFor(/"port":\d+,"msg":"[^"]*listen/i);
  url = `127.0.0.1:${/\d+/.exec(line)![0]}`;
  socket = new WebSocket(`ws://${url}/ws`);
  socket.on("message", (data) => {
    const { uid, ...message } = JSON.parse(String(data));
    if (uid === undefined) messages.push(message);
    const address = encodeAddress(node.account("bob").address);
    const topics = ["block", `unconfirmedAdded/${address}`, `confirmedAdded/${address}`];
    if (uid !== undefined) for (const subscribe of topics) socket.send(JSON.stringify({ uid, subscribe }));
  });
  await until(() => socket.readyState === WebSocket.OPEN, "the socket is open");
  // What happens once in a process is not the way of a block.
  let height = 0;
  await until(async () => {
    await node.devnet.harvest(1);
    height = node.devnet.height;
    return messages.some(({ topic }) => topic === "block");
  }, "blocks arrive");
  await isServed(height);
  await transfer(1n);
  await transfer(2n);
  run = await FilesRun.of(...programs);
});

afterAll(async () => {
  run?.close();
  socket?.close();
  for (const program of programs) await program.kill();
  await database?.drop();
  await node?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

async function isServed(height: number): Promise<void> {
  await until(async () => (await fetch(`http://${url}/blocks/${height}`)).status === 200, "the block is served");
}

/** Waits for a message, and forgets it with those before it. */
async function arrives(channel: string): Promise<void> {
  const find = () => messages.findIndex(({ topic }) => topic.startsWith(channel));
  await until(() => find() >= 0, `${channel} arrives`);
  messages.splice(0, find() + 1);
}

async function block(): Promise<void> {
  messages.length = 0;
  await node.devnet.harvest(1);
  await arrives("block");
}

async function transfer(amount: bigint): Promise<void> {
  messages.length = 0;
  const payload = signedPayload(node.devnet, node.account("alice"), {
    amount,
    recipientAddress: node.account("bob").address,
  });
  const announced = await sendJson("PUT", `http://${url}/transactions`, { payload: payload.toString("hex") });
  expect(announced.status).toBe(202);
  await arrives("unconfirmedAdded");
  await node.devnet.harvest(1);
  await arrives("confirmedAdded");
}

test(`an empty block runs through at most ${MAX_OF_BLOCK} files, from the node to a subscriber`, async () => {
  const files = await run.during(block);
  printFiles("an empty block", files);
  expect(files.length).toBeLessThanOrEqual(MAX_OF_BLOCK);
});

test(`a transfer runs through at most ${MAX_OF_TRANSFER} files, from its announcement to its confirmation`, async () => {
  const files = await run.during((n) => transfer(BigInt(3 + n)));
  printFiles("a transfer", files);
  expect(files.length).toBeLessThanOrEqual(MAX_OF_TRANSFER);
});
