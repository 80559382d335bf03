import { mock } from "node:test";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createCredentials, publicKeyOfCredentials } from "../../catapult/certificate/certificate.js";
import { ConnectionDroppedError, NodeUnavailableError, RequestPausedError } from "../../catapult/wire/errors.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import type { NodeConnectorOptions } from "../../catapult/wire/node-connector.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { PacketHandler, PacketServer } from "../../devnet/protocol/packet-server.js";
import { Closing, clientCredentials, rejection, serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { ReferenceAdmission, type ReferenceAdmissionOptions } from "../support/reference-admission.js";
import { isWithin, pause, until } from "../support/until.js";

const closing = new Closing();
afterEach(() => closing.closeAll());

const statistics: readonly [number, PacketHandler] = [PacketType.chainStatistics, () => Buffer.alloc(32)];
const silence: readonly [number, PacketHandler] = [PacketType.blockStatement, () => new Promise(() => undefined)];
/** Answers after 200 ms. */
const delay: readonly [number, PacketHandler] = [
  PacketType.subCacheMerkleRoots,
  () => pause(200).then(() => Buffer.alloc(0)),
];

function clientOf(server: PacketServer, options: Partial<NodeConnectorOptions> = {}): NodeClient {
  const nodes = [server.address()];
  return closing.add(new NodeClient({ nodes, credentials: clientCredentials, log: silentLog, ...options }));
}

async function strictNode(options: Partial<ReferenceAdmissionOptions>) {
  const admission = new ReferenceAdmission({
    nodeEqualityStrategy: "host",
    maxIncomingConnectionsPerIdentity: 3,
    nodePublicKey: publicKeyOfCredentials(serverCredentials),
    ...options,
  });
  return { server: await closing.serve([statistics, delay], { admission }), admission };
}

describe("at a node that identifies peers by host", () => {
  const reason =
    /dropped by the node right after the TLS handshake.*nodeEqualityStrategy.*CATAPULT_TLS_DIR.*maxIncoming/;

  test("its own machine needs its own certificate, and another client learns why it was disconnected", async () => {
    const { server, admission } = await strictNode({ localNetworks: ["127.0.0.1"] });
    const error = await rejection(clientOf(server).chainStatistics());
    expect(error).toBeInstanceOf(NodeUnavailableError);
    expect(error.message).toMatch(reason);
    expect(admission.rejections).toEqual(["in use identity key"]);
    await clientOf(server, { credentials: serverCredentials }).chainStatistics();
  });

  test("another host needs one certificate for all its processes, up to the limit", async () => {
    const { server, admission } = await strictNode({ localNetworks: ["10."] });
    const clients = [clientOf(server), clientOf(server), clientOf(server)];
    for (const client of clients) await client.chainStatistics();
    expect((await rejection(clientOf(server).chainStatistics())).message).toMatch(reason);
    for (const client of clients) await client.chainStatistics();
    await clients[0]!.close();
    await until(() => admission.count === 2, "the node has noticed");
    await rejection(clientOf(server, { credentials: createCredentials({ commonName: "other" }) }).chainStatistics());
    expect(admission.rejections).toEqual(["max connections in use", "in use identity key"]);
  });

  test("a connection that breaks later, or on our side, is not explained this way", async () => {
    const server = await closing.serve([statistics, silence]);
    const connection = await closing.connectTo(server);
    await connection.request(PacketType.chainStatistics);
    const broken = rejection(connection.request(PacketType.blockStatement));
    server.closeConnections();
    expect(await broken).not.toBeInstanceOf(ConnectionDroppedError);
  });

  test("an error on our side ends one connection cleanly, and leaves those of other processes", async () => {
    const { server, admission } = await strictNode({ localNetworks: ["10."] });
    const other = clientOf(server);
    await other.chainStatistics();
    const connection = await closing.connectTo(server);
    await connection.request(PacketType.chainStatistics);
    await rejection(connection.request(PacketType.subCacheMerkleRoots, undefined, { timeoutMs: 1 }));
    await until(() => admission.count === 1, "the connection is closed");
    expect(other.connectedNode).toBeDefined();
  });
});

describe("a shared connection", () => {
  test("is closed when it is idle, and opened again with the next request", async () => {
    const server = await closing.serve([statistics]);
    const client = clientOf(server, { idleMs: 20 });
    for (let round = 0; round < 2; round++) {
      await Promise.all([client.chainStatistics(), client.chainStatistics()]);
      expect(client.connectedNode).toBeDefined();
      await until(() => server.connectionCount === 0, "the connection is closed");
      expect(client.connectedNode).toBeUndefined();
    }
    const lasting = clientOf(server);
    await lasting.chainStatistics();
    expect(await isWithin(60, () => lasting.connectedNode === undefined)).toBe(false);
  });

  test("is not idle while an answer is pending", async () => {
    const slow: PacketHandler = () => pause(100).then(() => Buffer.from("late"));
    const server = await closing.serve([statistics, [PacketType.accountStatePath, slow]]);
    const client = clientOf(server, { idleMs: 10 });
    expect((await client.statePath(PacketType.accountStatePath, Buffer.alloc(24))).toString()).toBe("late");
  });

  test("is opened again, and the request repeated once, when the node closes it because of another process", async () => {
    let asked = 0;
    const server: PacketServer = await closing.serve([
      statistics,
      [
        PacketType.blockHashes,
        () => {
          asked += 1;
          if (asked !== 2) server.closeConnections();
          return Buffer.alloc(32);
        },
      ],
    ]);
    const client = clientOf(server, { repeatLost: true });
    expect(await client.blockHashes(1, 1)).toHaveLength(1);
    expect(asked).toBe(2);
    await rejection(client.blockHashes(1, 1));
    expect(asked).toBe(4);
  });

  test("does not send requests after which the node closes all connections of the identity", async () => {
    const rejecting = mock.fn<PacketHandler>(() => {
      throw new Error("not trusted");
    });
    const server = await closing.serve([statistics, [PacketType.unlockedAccounts, rejecting]]);
    let now = 0;
    const client = clientOf(server, { repeatLost: true, extensionPauseMs: 1_000, clock: () => now });
    await rejection(client.unlockedAccounts());
    const paused = await rejection(client.unlockedAccounts());
    expect(paused).toBeInstanceOf(RequestPausedError);
    expect(paused.message).toMatch(/unlockedAccounts \(0x304\).*diagnostics extension.*trustedHosts/);
    await client.chainStatistics();
    expect(rejecting.mock.callCount()).toBe(1);
    now = 2_000;
    await rejection(client.unlockedAccounts());
    expect(rejecting.mock.callCount()).toBe(2);
  });
});
