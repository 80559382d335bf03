import { mock } from "node:test";
import { afterEach, describe, expect, test } from "@jest/globals";
import { publicKeyOfCredentials } from "../../catapult/certificate/certificate.js";
import { Backoff } from "../../catapult/wire/backoff.js";
import { ConnectionClosedError, NodeUnavailableError } from "../../catapult/wire/errors.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import type { NodeConnectorOptions, NodeEndpoint } from "../../catapult/wire/node-connector.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { PacketHandler, PacketServer, PacketServerOptions } from "../../devnet/protocol/packet-server.js";
import { Closing, clientCredentials, serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { freePort } from "../support/free-port.js";
import { openSocketCount } from "../support/open-sockets.js";
import { RawReply } from "../support/raw-packet-server.js";
import { until } from "../support/until.js";

const closing = new Closing();
afterEach(() => closing.closeAll());

/** A server that its chain height identifies. */
async function node(
  height: number,
  options: Partial<PacketServerOptions> = {},
  others: readonly (readonly [number, PacketHandler])[] = [],
): Promise<PacketServer> {
  const statistics = Buffer.alloc(32);
  statistics.writeBigUInt64LE(BigInt(height));
  return closing.serve([[PacketType.chainStatistics, () => statistics], ...others], options);
}

function clientOf(nodes: readonly NodeEndpoint[], options: Partial<NodeConnectorOptions> = {}): NodeClient {
  return closing.add(new NodeClient({ nodes, credentials: clientCredentials, log: silentLog, ...options }));
}

const nameOf = ({ host, port }: NodeEndpoint) => `${host}:${port}`;
const heightOf = async (client: NodeClient) => (await client.chainStatistics()).height;

async function unavailable(promise: Promise<unknown>): Promise<NodeUnavailableError> {
  try {
    await promise;
  } catch (error) {
    expect(error).toBeInstanceOf(NodeUnavailableError);
    return error as NodeUnavailableError;
  }
  throw new Error("was not rejected");
}

/** An address of this machine without a listener. */
async function deadEnd(): Promise<NodeEndpoint> {
  return { host: "127.0.0.1", port: await freePort() };
}

test("Backoff grows to its limit, shortened by a random share, and can be reset", () => {
  const steady = new Backoff({ initialMs: 250, maxMs: 3000, factor: 2, jitter: 0 });
  expect([1, 2, 3, 4, 5, 6].map(() => steady.next())).toEqual([250, 500, 1000, 2000, 3000, 3000]);
  steady.reset();
  expect(steady.next()).toBe(250);
  const random = new Backoff({ initialMs: 100, jitter: 0.5 }, () => 0.5);
  expect(random.next()).toBe(75);
});

describe("NodeClient", () => {
  test("connects with the first request, once, however many there are", async () => {
    const server = await node(7);
    const client = clientOf([server.address()]);
    expect(client.connectedNode).toBeUndefined();
    expect(server.connectionCount).toBe(0);
    const heights = await Promise.all(Array.from({ length: 50 }, () => heightOf(client)));
    expect(new Set(heights)).toEqual(new Set([7]));
    expect(server.connectionCount).toBe(1);
    expect(client.connectedNode).toEqual({
      node: nameOf(server.address()),
      publicKey: publicKeyOfCredentials(serverCredentials),
    });
  });

  test("uses the first node that answers", async () => {
    const [first, second] = [await node(1), await node(2)];
    expect(await heightOf(clientOf([first.address(), second.address()]))).toBe(1);
    expect(await heightOf(clientOf([await deadEnd(), second.address()]))).toBe(2);
  });

  test("skips a node that accepts connections but does not answer, and one with bad certificates", async () => {
    const rejecting = await closing.serve([]);
    const silent = await node(1, { handlers: new Map([[5, () => new Promise(() => undefined)]]) });
    const [nodeCertificate = ""] = serverCredentials.certificatePem.split(serverCredentials.caCertificatePem);
    const withoutChain = await node(3, { credentials: { ...serverCredentials, certificatePem: nodeCertificate } });
    const good = await node(4);
    const nodes = [rejecting, silent, withoutChain, good].map((server) => server.address());
    const client = clientOf(nodes, { connectTimeoutMs: 2_000 });
    expect(await heightOf(client)).toBe(4);
    expect(client.connectedNode?.node).toBe(nameOf(good.address()));
  });

  test("switches to the next node when its node fails, and back to the first when that fails too", async () => {
    const [first, second] = [await node(1), await node(2)];
    const client = clientOf([first.address(), second.address()]);
    expect(await heightOf(client)).toBe(1);
    first.closeConnections();
    await until(() => client.connectedNode === undefined, "the loss is noticed");
    expect(await heightOf(client)).toBe(2);
    second.closeConnections();
    await until(() => client.connectedNode === undefined, "the loss is noticed");
    expect(await heightOf(client)).toBe(1);
  });

  test("reconnects to its only node at once when the connection is lost", async () => {
    const server = await node(1);
    const client = clientOf([server.address()], { clock: () => 0 });
    for (let round = 0; round < 3; round++) {
      expect(await heightOf(client)).toBe(1);
      server.closeConnections();
      await until(() => client.connectedNode === undefined, "the loss is noticed");
    }
  });

  test("rejects pending requests when the connection breaks, and repeats nothing", async () => {
    const silence = mock.fn(() => new Promise<never>(() => undefined));
    const server = await node(1, {}, [[PacketType.pullBlocks, silence]]);
    const client = clientOf([server.address()]);
    const waiting = client.blocks(1, { maxBlocks: 1, maxBytes: 1 }).catch((error: Error) => error);
    await until(() => silence.mock.callCount() === 1, "the request arrived");
    server.closeConnections();
    const reason = await waiting;
    expect(reason).toBeInstanceOf(ConnectionClosedError);
    expect((reason as Error).message).toContain(`node ${nameOf(server.address())}: connection closed`);
    expect(await heightOf(client)).toBe(1);
    expect(silence.mock.callCount()).toBe(1);
  });

  test("names every node that was tried, and why it could not be used", async () => {
    const dead = await deadEnd();
    const rejecting = await closing.serve([]);
    const silent = await node(1, { handlers: new Map([[5, () => new Promise(() => undefined)]]) });
    const client = clientOf([dead, rejecting.address(), silent.address()], { connectTimeoutMs: 2_000 });
    const reason = await unavailable(client.chainStatistics());
    expect(reason.attempts.map((attempt) => attempt.node)).toEqual(
      [dead, rejecting.address(), silent.address()].map(nameOf),
    );
    expect(reason.message).toContain(`node ${nameOf(dead)}: cannot connect: connect ECONNREFUSED`);
    expect(reason.message).toContain(`node ${nameOf(rejecting.address())}: connection closed`);
    const why = `node ${nameOf(silent.address())}: no response to chainStatistics (0x5) within 2000 ms`;
    expect(reason.message).toContain(why);
  });

  test("waits longer after each round of failures, rejects at once meanwhile, and recovers", async () => {
    let now = 1000;
    let attempts = 0;
    const server = await node(9, {
      handlers: new Map([
        [
          5,
          () => {
            attempts += 1;
            return attempts <= 3 ? new RawReply(Buffer.alloc(8)) : Buffer.alloc(32);
          },
        ],
      ]),
    });
    const reconnect = { initialMs: 100, maxMs: 300, factor: 2, jitter: 0 };
    const client = clientOf([server.address()], { reconnect, clock: () => now });
    const waits: number[] = [];
    for (let round = 1; round <= 3; round++) {
      const failed = await unavailable(client.chainStatistics());
      expect(attempts).toBe(round);
      expect(failed.message).toContain("packet size 0 is not between 8 and the limit");
      waits.push(failed.retryInMs);
      now += failed.retryInMs - 1;
      const early = await unavailable(client.chainStatistics());
      expect(early.retryInMs).toBe(1);
      expect(early.attempts).toEqual(failed.attempts);
      expect(attempts).toBe(round);
      now += 1;
    }
    expect(waits).toEqual([100, 200, 300]);
    expect(await heightOf(client)).toBe(0);
  });

  test("shares one failing attempt among concurrent callers", async () => {
    const client = clientOf([await deadEnd()], { reconnect: { initialMs: 1_000_000, maxMs: 1_000_000 } });
    const reasons = await Promise.all(Array.from({ length: 20 }, () => unavailable(client.chainStatistics())));
    expect(new Set(reasons).size).toBe(1);
  });

  test("pushes are rejected too when no node can be reached", async () => {
    const client = clientOf([await deadEnd()]);
    const cosignature = Buffer.alloc(136);
    await unavailable(client.pushCosignatures([cosignature]));
  });

  test("once closed, rejects everything and leaves no socket, whatever was pending", async () => {
    const silent = await node(1, { handlers: new Map([[5, () => new Promise(() => undefined)]]) });
    const connecting = clientOf([silent.address()]);
    const asked = unavailable(connecting.chainStatistics());
    await connecting.close();
    expect((await asked).message).toContain(`node ${nameOf(silent.address())}: not tried, the client is closed`);

    const server = await node(1, {}, [[PacketType.pullBlocks, () => new Promise(() => undefined)]]);
    const client = clientOf([server.address()]);
    await client.chainStatistics();
    const waiting = client.blocks(1, { maxBlocks: 1, maxBytes: 1 }).catch((error: Error) => error);
    // Wait until the request is written.
    await Promise.resolve();
    await client.close();
    expect(await waiting).toBeInstanceOf(ConnectionClosedError);
    await unavailable(client.chainStatistics());
    expect(openSocketCount()).toBe(0);
    await client.close();
  });

  test("needs at least one node", () => {
    expect(() => clientOf([])).toThrow("nodes must not be empty");
  });
});
