import { once } from "node:events";
import { createServer as createTcpServer } from "node:net";
import { mock } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, describe, expect, test } from "@jest/globals";
import { tlsOptions } from "../../catapult/certificate/certificate.js";
import { NodeConnection } from "../../catapult/wire/connection.js";
import {
  ConnectError,
  ConnectionClosedError,
  RequestTimeoutError,
  UnexpectedPacketError,
} from "../../catapult/wire/errors.js";
import { encodePacket } from "../../catapult/wire/packet.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { PacketHandler } from "../../devnet/protocol/packet-server.js";
import { Closing, clientCredentials, listen, rejection, serverCredentials } from "../support/connection-fixtures.js";
import { RawReply } from "../support/raw-packet-server.js";
import { SlowRelay } from "../support/slow-relay.js";
import { pause, until } from "../support/until.js";

const MIB = 1024 * 1024;
const A = PacketType.pullBlocks;
const B = PacketType.blockStatement;
const silence: PacketHandler = () => new Promise(() => undefined);

const closing = new Closing();
afterEach(() => closing.closeAll());

describe("requests", () => {
  test("300 mixed ones written at once are answered in order, although answers differ in size and time", async () => {
    const answer =
      (kind: string): PacketHandler =>
      async (payload) => {
        const number = payload.readUInt32LE();
        if (number % 17 === 0) await pause(1);
        return Buffer.concat([Buffer.from(kind), payload, Buffer.alloc(number % 5 === 0 ? 50_000 : number)]);
      };
    const connection = await closing.connectTo(
      await closing.serve([
        [A, answer("A")],
        [B, answer("B")],
      ]),
    );
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => {
        const payload = Buffer.alloc(4);
        payload.writeUInt32LE(index);
        return connection.request(index % 2 === 0 ? A : B, payload);
      }),
    );
    const order = answers.map((bytes) => `${bytes.toString("latin1", 0, 1)}${bytes.readUInt32LE(1)}`);
    expect(order).toEqual(answers.map((_, index) => `${index % 2 === 0 ? "A" : "B"}${index}`));
  });
});

describe("pushes", () => {
  test("arrive although the connection is closed right after", async () => {
    const handler = mock.fn((_payload: Buffer) => undefined);
    const server = await closing.serve([[PacketType.pushTransactions, handler]]);
    const connection = await closing.connectTo(server);
    const transaction = Buffer.alloc(MIB, 3);
    await connection.push(PacketType.pushTransactions, transaction);
    await connection.close();
    await until(() => handler.mock.callCount() === 1, "the pushed transaction arrived");
    expect(handler.mock.calls[0]!.arguments[0].equals(transaction)).toBe(true);
  });

  test("are rejected on a closed connection", async () => {
    const connection = await closing.connectTo(await closing.serve([]));
    await connection.close();
    expect(await rejection(connection.push(9, Buffer.alloc(1)))).toBeInstanceOf(ConnectionClosedError);
  });
});

describe("protocol violations close the connection and reject all pending requests", () => {
  test("an answer of the wrong type: both types are named", async () => {
    const server = await closing.serve([
      [A, () => ({ type: B, payload: Buffer.alloc(3) })],
      [B, silence],
    ]);
    const connection = await closing.connectTo(server);
    const [first, second] = await Promise.all([rejection(connection.request(A)), rejection(connection.request(B))]);
    expect(first).toBeInstanceOf(UnexpectedPacketError);
    expect(first!.message).toBe(`node ${connection.node}: expected pullBlocks (0x8), received blockStatement (0x303)`);
    expect(second).toBeInstanceOf(ConnectionClosedError);
    expect(second!.message).toContain("expected pullBlocks (0x8), received blockStatement (0x303)");
    expect(second!.cause).toBe(first);
    expect(await connection.closed).toBe(first);
    expect(connection.isOpen).toBe(false);
    expect(await rejection(connection.request(A))).toBeInstanceOf(ConnectionClosedError);
  });

  test("an unrequested packet", async () => {
    const server = await closing.serve([
      [A, () => new RawReply(Buffer.concat([encodePacket(A), encodePacket(PacketType.pushBlock, Buffer.alloc(9))]))],
    ]);
    const connection = await closing.connectTo(server);
    await connection.request(A);
    const reason = await connection.closed;
    expect(reason).toBeInstanceOf(UnexpectedPacketError);
    expect(reason!.message).toBe(`node ${connection.node}: expected no packet, received pushBlock (0x3)`);
  });

  test("no answer in time", async () => {
    const server = await closing.serve([[A, silence]]);
    const connection = await closing.connectTo(server, { requestTimeoutMs: 60 });
    const [first, second] = await Promise.all([rejection(connection.request(A)), rejection(connection.request(B))]);
    expect(first).toBeInstanceOf(RequestTimeoutError);
    expect(first!.message).toBe(`node ${connection.node}: no response to pullBlocks (0x8) within 60 ms`);
    expect(second).toBeInstanceOf(ConnectionClosedError);
    expect(await connection.closed).toBe(first);
  });

  test("the timeout of a request starts when the previous answers have arrived", async () => {
    const slow: PacketHandler = () => pause(30).then(() => Buffer.alloc(0));
    const server = await closing.serve([
      [A, slow],
      [B, silence],
    ]);
    const connection = await closing.connectTo(server);
    const first = connection.request(A);
    const second = rejection(
      connection
        .request(A, undefined, { timeoutMs: 20_000 })
        .then(() => connection.request(B, undefined, { timeoutMs: 50 })),
    );
    const others = Array.from({ length: 50 }, () => connection.request(A, undefined, { timeoutMs: 1_000 }));
    await Promise.all([first, ...others]);
    expect((await second).message).toContain("no response to blockStatement (0x303) within 50 ms");
  });

  test("a truncated frame", async () => {
    const cut = encodePacket(A, Buffer.alloc(1000)).subarray(0, 700);
    const server = await closing.serve([[A, () => new RawReply(cut)]]);
    const connection = await closing.connectTo(server);
    const asked = rejection(connection.request(A));
    await pause(50);
    server.closeConnections();
    expect((await asked).message).toContain(`node ${connection.node}: connection closed`);
  });

  test("close by ourselves", async () => {
    const connection = await closing.connectTo(await closing.serve([[A, silence]]));
    const asked = rejection(connection.request(A));
    await connection.close();
    expect((await asked).message).toBe(`node ${connection.node}: connection closed: by this side`);
    expect(await connection.closed).toBeUndefined();
    await connection.close();
  });
});

describe("a slow connection", () => {
  const ANSWER_BYTES = 300_000;

  test("an answer that takes many times the timeout arrives, as long as bytes keep coming", async () => {
    const server = await closing.serve([[A, () => Buffer.alloc(ANSWER_BYTES, 7)]]);
    const relay = closing.add(await new SlowRelay(server.address(), ANSWER_BYTES).open());
    const options = { ...relay.address, credentials: clientCredentials, requestTimeoutMs: 400 };
    const connection = closing.add(await NodeConnection.connect(options));
    const startedAt = performance.now();
    const answers = await Promise.all([connection.request(A), connection.request(A)]);
    expect(answers.map(({ length }) => length)).toEqual([ANSWER_BYTES, ANSWER_BYTES]);
    expect(performance.now() - startedAt).toBeGreaterThan(1_000);
  });

  test("an answer that stalls is abandoned, and the error reports how much of it arrived", async () => {
    const raw = encodePacket(A, Buffer.alloc(1_000)).subarray(0, 700);
    const connection = await closing.connectTo(await closing.serve([[A, () => new RawReply(raw)]]), {
      requestTimeoutMs: 600,
    });
    const reason = await rejection(connection.request(A));
    expect(reason).toBeInstanceOf(RequestTimeoutError);
    expect(reason.message).toBe(
      `node ${connection.node}: response to pullBlocks (0x8) incomplete after 600 ms, 700 bytes received`,
    );
  });

  test("an answer that trickles in is abandoned after 20 times the timeout", async () => {
    const dripping = createTlsServer({ ...tlsOptions(serverCredentials), requestCert: true }, (socket) => {
      socket.on("error", () => undefined).write(encodePacket(A, Buffer.alloc(ANSWER_BYTES)).subarray(0, 8));
      const timer = setInterval(() => socket.write(Buffer.alloc(1)), 10);
      socket.on("close", () => clearInterval(timer));
    });
    dripping.listen(0, "127.0.0.1");
    await once(dripping, "listening");
    const { port } = dripping.address() as { port: number };
    const options = { host: "127.0.0.1", port, credentials: clientCredentials };
    const connection = closing.add(await NodeConnection.connect(options));
    const reason = await rejection(connection.request(A, undefined, { timeoutMs: 60 }));
    expect(reason).toBeInstanceOf(RequestTimeoutError);
    expect(reason.message).toMatch(/response to pullBlocks \(0x8\) incomplete after 1200 ms, \d+ bytes received$/);
    await new Promise((done) => dripping.close(done));
  });
});

describe("an answer larger than its request allows", () => {
  test("is cut off at its header; the other requests are rejected with the reason", async () => {
    const raw = Buffer.alloc(8);
    raw.writeUInt32LE(5_008);
    raw.writeUInt32LE(A, 4);
    const connection = await closing.connectTo(await closing.serve([[A, () => new RawReply(raw)]]));
    const asked = [
      rejection(connection.request(A, undefined, { maxAnswerSize: 4_999 })),
      rejection(connection.request(A)),
    ];
    const [first, second] = await Promise.all(asked);
    expect(first).toMatchObject({ name: "PacketError", size: 5_008, limit: 5_007 });
    expect(first?.message).toBe(
      `node ${connection.node}: response to pullBlocks (0x8) has 5008 bytes, more than the 5007 that the request allows`,
    );
    expect(second?.cause).toBe(first);
  });

  test("a request may allow less than the one before it", async () => {
    const connection = await closing.connectTo(await closing.serve([[A, () => Buffer.alloc(5_000)]]));
    const roomy = connection.request(A, undefined, { maxAnswerSize: 5_000 });
    const narrow = rejection(connection.request(A, undefined, { maxAnswerSize: 100 }));
    expect(await roomy).toHaveLength(5_000);
    expect(await narrow).toMatchObject({ name: "PacketError", limit: 108 });
  });
});

describe("connecting", () => {
  test("to a port without a listener names the node and the reason", async () => {
    const server = await listen([]);
    const { host, port } = server.address();
    await server.close();
    const reason = await rejection(NodeConnection.connect({ host, port, credentials: clientCredentials }));
    expect(reason).toBeInstanceOf(ConnectError);
    expect(reason.message).toContain(`node ${host}:${port}: cannot connect: connect ECONNREFUSED`);
  });

  test("to a server without TLS, or one that does not respond", async () => {
    const talks = createTcpServer((socket) =>
      socket
        .on("error", () => undefined)
        .resume()
        .end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    );
    const silent = createTcpServer((socket) => void socket.on("error", () => undefined).resume());
    for (const tcp of [talks, silent]) {
      tcp.listen(0, "127.0.0.1");
      await once(tcp, "listening");
    }
    const connect = (tcp: typeof talks) => {
      const { port } = tcp.address() as { port: number };
      return rejection(
        NodeConnection.connect({ host: "127.0.0.1", port, credentials: clientCredentials, timeoutMs: 80 }),
      );
    };
    expect(await connect(talks)).toBeInstanceOf(ConnectError);
    expect((await connect(silent)).message).toContain("cannot connect: no response within 80 ms");
    for (const tcp of [talks, silent]) await new Promise((done) => tcp.close(done));
  });

  test("can be cancelled", async () => {
    const silent = createTcpServer((socket) => void socket.on("error", () => undefined).resume()).listen(
      0,
      "127.0.0.1",
    );
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    const abort = new AbortController();
    const options = { host: "127.0.0.1", port, credentials: clientCredentials, signal: abort.signal };
    const connecting = rejection(NodeConnection.connect(options));
    abort.abort();
    expect((await connecting).message).toContain("aborted");
    expect((await rejection(NodeConnection.connect(options))).message).toContain("aborted");
    await new Promise((done) => silent.close(done));
  });
});
