import { mkdir } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { publicKeyOfCredentials } from "../../catapult/certificate/certificate.js";
import { PacketServer } from "../../devnet/protocol/packet-server.js";
import { serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { DevnetFixture } from "../support/devnet.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { ReferenceAdmission } from "../support/reference-admission.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { transferPayload } from "../support/transfers.js";
import { until } from "../support/until.js";

const BLOCKS = 8;

let devnet: DevnetFixture;
let database: TestDatabase;
let node: PacketServer;
let admission: ReferenceAdmission;
const programs: TestProcess[] = [];
const folder = temporaryFolder(async () => {
  for (const program of programs) await program.kill();
  await node?.close();
  await database?.drop();
  await devnet?.stop();
});

beforeAll(async () => {
  devnet = await DevnetFixture.start();
  await devnet.devnet.harvest(BLOCKS - devnet.devnet.height);
  database = await createMigratedDatabase();
  admission = new ReferenceAdmission({
    nodeEqualityStrategy: "host",
    maxIncomingConnectionsPerIdentity: 3,
    nodePublicKey: publicKeyOfCredentials(serverCredentials),
  });
  const { handlers } = devnet.devnet;
  node = await PacketServer.listen({ credentials: serverCredentials, log: silentLog, handlers, admission });
});

/** Each has its own working folder and DATA_DIR, as units and checkouts have; the user is the same. */
async function start(...args: [string, ...string[]]): Promise<TestProcess> {
  const cwd = path.join(folder, args[0]);
  await mkdir(cwd, { recursive: true });
  const { port } = node.address();
  const env = {
    HOME: folder,
    DATABASE_URL: database.url,
    CATAPULT_NODES: `127.0.0.1:${port}`,
    CATAPULT_RESOURCES: devnet.devnet.resourcesDirectory,
    DATA_DIR: cwd,
    HOST: "127.0.0.1",
    PORT: "0",
  };
  const program = startProcess(args, { cwd, env });
  programs.push(program);
  return program;
}

async function get(port: number, route: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`http://127.0.0.1:${port}${route}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test("an indexer, a gateway and a check share a certificate and three connections", async () => {
  const indexer = await start("indexer");
  const gateway = await start("gateway");
  const port = Number(/\d+/.exec(await gateway.waitFor(/"port":\d+,"msg":"Listening"/))![0]);
  const heights = async () => (await get(port, "/chain/info")).body.height;
  await until(async () => (await heights()) === String(BLOCKS), "the chain is indexed");
  await until(async () => (await get(port, "/accounts")).status === 200, "the state is read");

  const infos = await Promise.all(Array.from({ length: 6 }, () => get(port, "/node/info")));
  for (const { status, body } of infos) {
    expect({ status, friendlyName: body.friendlyName }).toEqual({ status: 200, friendlyName: "devnet" });
  }
  const nodePublicKey = infos[0]?.body.nodePublicKey as string;
  expect(nodePublicKey).toMatch(/^[0-9A-F]{64}$/);
  const payload = transferPayload(devnet.devnet, devnet.account("alice"), devnet.account("bob").address, 1n);
  const announced = await fetch(`http://127.0.0.1:${port}/transactions`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ payload: payload.toString("hex") }),
  });
  expect(announced.status).toBe(202);
  await until(() => devnet.devnet.unconfirmedCount === 1, "the node has the transaction");

  const check = await start("check");
  await until(async () => {
    await get(port, "/node/time");
    return admission.max >= 3;
  }, "all three are connected at one time");
  expect(await check.exited).toEqual({ code: 0, signal: null });
  expect(check.output).toContain("No differences.");
  expect({ max: admission.max, identities: admission.identities, rejections: admission.rejections }).toEqual({
    max: 3,
    identities: 1,
    rejections: [],
  });

  await indexer.kill();
  node.closeConnections();
  expect((await get(port, "/node/time")).status).toBe(200);
  await node.close();
  const failed = await get(port, "/node/time");
  expect({ status: failed.status, code: failed.body.code }).toEqual({ status: 503, code: "ServiceUnavailable" });
  expect(await gateway.kill("SIGTERM")).toEqual({ code: 0, signal: null });
});
