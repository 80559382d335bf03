import { once } from "node:events";
import { connect as tcpConnect } from "node:net";
import { connect as tlsConnect } from "node:tls";
import { afterEach, describe, expect, test } from "@jest/globals";
import { tlsOptions } from "../../catapult/certificate/certificate.js";
import { ConnectError, ConnectionClosedError } from "../../catapult/wire/errors.js";
import { encodePacket } from "../../catapult/wire/packet.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { Closing, clientCredentials, listen, rejection } from "../support/connection-fixtures.js";
import { until } from "../support/until.js";

const MIB = 1024 * 1024;
const A = PacketType.pullBlocks;
const B = PacketType.blockStatement;

const closing = new Closing();
afterEach(() => closing.closeAll());

describe("the server", () => {
  test("closes the connection on a packet type without a handler, after answering earlier requests", async () => {
    const connection = await closing.connectTo(await closing.serve([[A, () => Buffer.from("yes")]]));
    const [answer, reason] = await Promise.all([connection.request(A), rejection(connection.request(0x999))]);
    expect(answer.toString()).toBe("yes");
    expect(reason).toBeInstanceOf(ConnectionClosedError);
  });

  test("closes the connection on a frame above its limit and when a handler fails", async () => {
    const server = await closing.serve(
      [
        [A, () => Buffer.from("yes")],
        [
          B,
          () => {
            throw new Error("broken");
          },
        ],
      ],
      { maxPacketSize: 100 },
    );
    const first = await closing.connectTo(server);
    expect(await first.request(A, Buffer.alloc(92))).toHaveLength(3);
    expect(await rejection(first.request(A, Buffer.alloc(93)))).toBeInstanceOf(ConnectionClosedError);
    const second = await closing.connectTo(server);
    expect(await rejection(second.request(B))).toBeInstanceOf(ConnectionClosedError);
  });

  test("accepts no more connections than allowed", async () => {
    const server = await closing.serve([[A, () => Buffer.alloc(0)]], { maxConnections: 2 });
    const first = await closing.connectTo(server);
    await closing.connectTo(server);
    expect(await rejection(closing.connectTo(server))).toBeInstanceOf(ConnectError);
    await first.close();
    await until(() => server.connectionCount === 1, "a place is free");
    await (await closing.connectTo(server)).request(A);
  });

  test("serves one client while another does not read, and closes with both", async () => {
    const large = Buffer.alloc(30 * MIB);
    const server = await closing.serve([
      [A, () => large],
      [B, () => Buffer.from("yes")],
    ]);
    const greedy = tlsConnect({ ...server.address(), ...tlsOptions(clientCredentials) });
    greedy.on("error", () => undefined);
    await once(greedy, "secureConnect");
    for (let count = 0; count < 20; count++) greedy.write(encodePacket(A));
    const connection = await closing.connectTo(server);
    expect((await connection.request(B)).toString()).toBe("yes");
    await server.close();
    expect(server.connectionCount).toBe(0);
    greedy.destroy();
  });

  test("closes with a client that stays in its handshake", async () => {
    const server = await listen([]);
    const socket = tcpConnect(server.address().port, server.address().host);
    socket.on("error", () => undefined);
    const closed = once(socket, "close");
    await until(() => server.connectionCount === 1, "connected");
    await Promise.all([closed, server.close()]);
  });
});
