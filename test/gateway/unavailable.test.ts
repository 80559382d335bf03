import { afterEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { Closing } from "../support/connection-fixtures.js";
import { DatabaseRelay } from "../support/database-relay.js";
import { freePort } from "../support/free-port.js";
import { OWN_CONNECTIONS } from "../support/own-catalogues.js";
import { until } from "../support/until.js";
import { encodeNodeInfo, GatewayFixture } from "./gateway-fixture.js";
import { whileLocked } from "./table-lock.js";
import { TestClient } from "./websocket-fixture.js";

const chain = 20;
const fromDatabase = [
  "/chain/info",
  "/blocks",
  "/blocks/3",
  "/transactions/confirmed",
  "/statements/transaction",
  "/accounts",
  "/mosaics/72C0212E67A08BCE",
  "/ready",
];
const fromNode = [
  "/node/info",
  "/node/peers",
  "/node/time",
  "/finalization/proof/epoch/2",
  "/finalization/proof/height/100",
  "/mosaics/72C0212E67A08BCE/merkle",
];

const closing = new Closing();

afterEach(() => closing.closeAll());

const start = async (...args: Parameters<typeof GatewayFixture.start>) =>
  closing.add(await GatewayFixture.start(...args));

const [DEBUG, WARN, ERROR] = [20, 40, 50];
/** Of failures that are one line together. */
const TOGETHER = { first: ERROR, others: DEBUG };

async function expectUnavailable(
  gateway: GatewayFixture,
  paths: readonly string[],
  what: string,
  levels: number | typeof TOGETHER = ERROR,
): Promise<void> {
  for (const path of paths) {
    const { status, body, headers } = await gateway.get(path);
    expect({ path, status, code: body.code }).toEqual({ path, status: 503, code: "ServiceUnavailable" });
    expect(body.message).toContain(what);
    expect(Object.keys(body)).toEqual(["code", "message"]);
    expect(headers.get("etag")).toBeNull();
    const requestId = headers.get("x-request-id");
    const [line, ...others] = gateway.log.lines.filter((one) => one.requestId === requestId);
    expect(line?.code).toBe("ServiceUnavailable");
    if (typeof levels === "number") expect(line?.level).toBe(levels);
    else expect(line).toMatchObject({ msg: "Database connection lost" });
    if (levels === DEBUG) expect(JSON.stringify([line, others])).not.toContain("stack");
  }
  if (levels !== TOGETHER) return;
  // Also of what happens without a request: connections, events, webhooks.
  const lines = gateway.log.loud().map(({ level, msg }) => ({ level, msg }));
  expect(lines).toEqual([{ level: TOGETHER.first, msg: "Database connection lost" }]);
  const { text } = await gateway.get("/metrics");
  const [, failures] = /^symbol_gateway_database_failures_total (\d+)$/m.exec(text) ?? [];
  expect(Number(failures)).toBeGreaterThanOrEqual(paths.length);
}

describe("without the database", () => {
  test("its address has no listener", async () => {
    const databaseUrl = `postgres://user:secret@127.0.0.1:${await freePort()}/none`;
    const gateway = await start(undefined, { databaseUrl });
    await expectUnavailable(gateway, fromDatabase, "database", TOGETHER);
    const health = await gateway.get("/node/health");
    expect(health).toMatchObject({ status: 503, body: { status: { apiNode: "up", db: "down" } } });
    expect((await gateway.get("/node/info")).status).toBe(200);
    expect((await gateway.get("/node/server")).status).toBe(200);
    expect((await gateway.get("/metrics")).status).toBe(200);
    expect(JSON.stringify(gateway.log.lines)).not.toContain("secret");
  });

  test("it goes away and comes back", async () => {
    const way = await new DatabaseRelay(process.env.TEST_POSTGRES_URL as string).open();
    closing.add(way);
    const gateway = await start(chain, (database) => ({ databaseUrl: way.through(database.url) }));
    expect((await gateway.get("/blocks")).status).toBe(200);
    await way.close();
    await expectUnavailable(gateway, fromDatabase, "database", TOGETHER);
    await way.open();
    await until(async () => (await gateway.get("/blocks")).status === 200, "blocks are served again");
  });

  test("it comes only after the gateway: clients have to try again until events are followed, and miss none then", async () => {
    const way = await new DatabaseRelay(process.env.TEST_POSTGRES_URL as string).open();
    await way.close();
    const gateway = await start(chain, (database) => ({ databaseUrl: way.through(database.url) }));
    closing.add(way);
    const url = `${gateway.socketUrl}/ws`;
    expect((await TestClient.connect(url)).uid).toBe("");
    expect((await gateway.get("/events?topic=block")).status).toBe(503);
    await gateway.events.write({ channel: "block", data: { n: 1 } });

    await way.open();
    let client = await TestClient.connect(url);
    await until(async () => {
      if (client.uid === "") client = await TestClient.connect(url);
      return client.uid !== "";
    }, "a client is accepted");
    client.subscribe("block");
    client.send({ uid: client.uid, subscribe: "nothing" });
    await client.error();
    await gateway.events.write({ channel: "block", data: { n: 2 } });
    expect(await client.received(1)).toMatchObject([{ topic: "block", data: { n: 2 } }]);
  });

  test("a statement takes too long", async () => {
    const gateway = await start(chain, { limits: { statementTimeoutMs: 200 } });
    await whileLocked(gateway.database.url, ["blocks"], () =>
      expectUnavailable(gateway, ["/blocks", "/blocks/3"], "database"),
    );
    // A busy machine may need longer than that too.
    await until(async () => (await gateway.get("/blocks")).status === 200, "blocks are served again");
  });
});

test("an empty index has empty lists, no head, and is not ready", async () => {
  const gateway = await start(undefined);
  for (const path of ["/blocks", "/blocks?pageNumber=40", "/transactions/confirmed", "/statements/transaction"]) {
    const { status, body } = await gateway.get(path);
    expect({ status, data: body.data, total: body.pagination.totalEntries }).toEqual({
      status: 200,
      data: [],
      total: 0,
    });
  }
  const paths = ["/blocks/1", "/chain/info", "/ready", "/accounts", "/mosaics/72C0212E67A08BCE", "/namespaces"];
  await expectUnavailable(gateway, paths, "nothing is indexed", DEBUG);
});

test("an incomplete backfill: it serves, and is not ready", async () => {
  const gateway = await start(chain);
  await gateway.query("insert into deferred_indexes (name, definition) values ('blocks_hash', '')");
  await expectUnavailable(gateway, ["/ready"], "1 database indexes are still to be created", DEBUG);
  expect((await gateway.get("/blocks/1")).status).toBe(200);
});

describe("without the node", () => {
  test("its address has no listener", async () => {
    const gateway = await start(chain, { nodes: [{ host: "127.0.0.1", port: await freePort() }] });
    await expectUnavailable(gateway, fromNode, "node", DEBUG);
    const health = await gateway.get("/node/health");
    expect(health).toMatchObject({ status: 503, body: { status: { apiNode: "down", db: "up" } } });
    expect((await gateway.get("/chain/info")).status).toBe(200);
    const ready = await gateway.get("/ready");
    const unknown = { nodeHeight: null, blocksBehind: null, secondsBehind: null };
    expect(ready).toMatchObject({ status: 200, body: { height: "20", ...unknown } });
    expect((await gateway.get("/ready?maxBlocksBehind=0&maxSecondsBehind=0")).status).toBe(200);
  });

  test("it goes away", async () => {
    const gateway = await start(chain);
    expect((await gateway.get("/node/info")).status).toBe(200);
    await gateway.node.close();
    await gateway.log.has("Lost the connection to a node");
    await expectUnavailable(gateway, fromNode, "node", DEBUG);
    const known = ["Lost the connection to a node", "no node can be reached"];
    expect(gateway.log.lines.filter(({ level }) => Number(level) >= WARN).map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(known),
    );
  });

  test("it has another block at the index's height", async () => {
    const statistics = Buffer.alloc(32);
    let hash = Buffer.alloc(32, 5);
    const node = await closing.serve([
      [PacketType.chainStatistics, () => statistics],
      [PacketType.timeSyncNetworkTime, () => Buffer.alloc(16)],
      [PacketType.nodeDiscoveryPullPing, () => encodeNodeInfo()],
      [PacketType.blockHashes, () => hash],
    ]);
    const gateway = await start(chain, { nodes: [node.address()] });
    statistics.writeBigUInt64LE(BigInt(chain));
    await expectUnavailable(gateway, ["/ready"], "another block at height 20", DEBUG);
    const { body } = await gateway.post("/graphql", { query: "{ indexStatus { nodeHasOtherBlock } }" });
    expect(body.data).toEqual({ indexStatus: { nodeHasOtherBlock: true } });
    // A node that is only behind has nothing to compare.
    statistics.writeBigUInt64LE(BigInt(chain - 1));
    expect((await gateway.get("/ready")).status).toBe(200);
    statistics.writeBigUInt64LE(BigInt(chain + 1));
    hash = Buffer.from(gateway.blocks.at(-1)!.hash);
    expect((await gateway.get("/ready")).status).toBe(200);
  });

  test("it belongs to another network than the index", async () => {
    const node = await closing.serve([
      [PacketType.chainStatistics, () => Buffer.alloc(32)],
      [PacketType.timeSyncNetworkTime, () => Buffer.alloc(16)],
      [PacketType.nodeDiscoveryPullPing, () => encodeNodeInfo(Buffer.alloc(32, 8))],
    ]);
    const gateway = await start(chain, { nodes: [node.address()] });
    await expectUnavailable(gateway, ["/ready"], "another network", DEBUG);
    expect((await gateway.get("/blocks/1")).status).toBe(200);
  });

  test("it does not answer, or sends invalid answers", async () => {
    const statistics = Buffer.alloc(32);
    const node = await closing.serve([
      [PacketType.chainStatistics, () => statistics],
      [PacketType.nodeDiscoveryPullPing, () => new Promise<Buffer>(() => undefined)],
      [PacketType.timeSyncNetworkTime, () => Buffer.alloc(3)],
      [
        PacketType.finalizationProofAtEpoch,
        () => ({ type: PacketType.pullFinalizationProof, payload: Buffer.alloc(60) }),
      ],
      [PacketType.mosaicStatePath, () => Buffer.from([7, 7, 7])],
      [PacketType.namespaceStatePath, () => new Promise<Buffer>(() => undefined)],
    ]);
    const gateway = await start(chain, { nodes: [node.address()], limits: { nodeTimeoutMs: 300 } });
    await expectUnavailable(gateway, ["/node/info", "/node/time", "/finalization/proof/epoch/2"], "node");
    const id = "72C0212E67A08BCE";
    await expectUnavailable(gateway, [`/mosaics/${id}/merkle`, `/namespaces/${id}/merkle`], "node");
  });
});

test("it stops in order: sockets are closed, new requests are rejected, pending ones are answered, and the database is released", async () => {
  const gateway = await start(chain);
  const socket = await TestClient.connect(`${gateway.socketUrl}/ws`);
  const observer = new pg.Client({ connectionString: gateway.database.url });
  await observer.connect();
  closing.add({ close: () => observer.end() });
  const ofGateway = `SELECT FROM ${OWN_CONNECTIONS} WHERE application_name = 'symbol-gateway'`;
  const { underWay, stopped } = await whileLocked(gateway.database.url, ["blocks"], async (lock) => {
    const asked = gateway.get("/blocks");
    await lock.isAwaitedBy(1);
    const ending = gateway.stopGateway();
    // The request is still pending: sockets do not wait for it.
    expect(await socket.ended()).toMatchObject({ code: 1001 });
    await expect(fetch(`${gateway.url}/`)).rejects.toThrow();
    expect((await observer.query(ofGateway)).rows.length).toBeGreaterThan(0);
    return { underWay: asked, stopped: ending };
  });
  expect((await underWay).status).toBe(200);
  await stopped;
  await until(async () => (await observer.query(ofGateway)).rows.length === 0, "the database is let go");
});

test("an internal failure is reported without its cause, which is logged under the request id", async () => {
  const gateway = await start(chain);
  await gateway.query("alter table blocks rename column header_size to renamed");
  const { status, body, headers } = await gateway.get("/blocks/3");
  const requestId = headers.get("x-request-id") as string;
  expect({ status, body }).toEqual({
    status: 500,
    body: { code: "InternalServiceError", message: `the gateway failed: request ${requestId}` },
  });
  const line = gateway.log.lines.find((entry) => entry.requestId === requestId && entry.level === 50);
  expect(JSON.stringify(line)).toContain("header_size");
});
