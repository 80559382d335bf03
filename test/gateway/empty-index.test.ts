import { afterEach, describe, expect, test } from "@jest/globals";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { Closing } from "../support/connection-fixtures.js";
import { encodeNodeInfo, GatewayFixture } from "./gateway-fixture.js";

const closing = new Closing();
afterEach(() => closing.closeAll());

const start = async (...args: Parameters<typeof GatewayFixture.start>) =>
  closing.add(await GatewayFixture.start(...args));

const HASH = "AB".repeat(32);
const ONE = [
  "/blocks/1",
  `/transactions/confirmed/${HASH}`,
  `/transactionStatus/${HASH}`,
  "/mosaics/72C0212E67A08BCE",
  "/chain/info",
];

describe("while nothing is indexed", () => {
  test("nothing is said not to exist: 503 in place of 404", async () => {
    const gateway = await start(undefined);
    for (const path of ONE) {
      const { status, body } = await gateway.get(path);
      expect({ path, status, message: body.message }).toEqual({
        path,
        status: 503,
        message: "nothing is indexed yet: try again",
      });
    }
    expect((await gateway.get("/no/such/path")).status).toBe(404);
    expect((await gateway.get("/blocks/x")).status).toBe(400);
    expect((await gateway.get("/node/health")).body).toEqual({ status: { apiNode: "up", db: "up", index: "empty" } });
  });
});

describe("an index", () => {
  const chain = 20;

  test("that follows its node does say what does not exist", async () => {
    const gateway = await start(chain);
    expect((await gateway.get("/blocks/9999")).status).toBe(404);
    expect((await gateway.get("/node/health")).body).toEqual({ status: { apiNode: "up", db: "up" } });
  });

  test("that is far behind its node is filling", async () => {
    const statistics = Buffer.alloc(32);
    statistics.writeBigUInt64LE(5_000_000n);
    const node = await closing.serve([
      [PacketType.chainStatistics, () => statistics],
      [PacketType.nodeDiscoveryPullPing, () => encodeNodeInfo()],
    ]);
    const gateway = await start(chain, { nodes: [node.address()] });
    expect((await gateway.get("/node/health")).body).toEqual({ status: { apiNode: "up", db: "up", index: "filling" } });
  });
});
