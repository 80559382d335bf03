import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Request, Response } from "express";
import { sendParts } from "../../gateway/http/send-parts.js";
import { until } from "../support/until.js";

const SILENCE_MS = 400;
const PART = "x".repeat(65_536);

let server: Server;
let parts = 0;
let hasEnded = false;

async function* endless(): AsyncGenerator<string> {
  try {
    for (;;) {
      parts += 1;
      yield PART;
    }
  } finally {
    hasEnded = true;
  }
}

beforeEach(async () => {
  parts = 0;
  hasEnded = false;
  server = createServer((request, response) => {
    void sendParts(request as Request, response as Response, 200, endless()).catch(() => undefined);
  });
  server.setTimeout(SILENCE_MS);
  await once(server.listen(0, "127.0.0.1"), "listening");
});

afterEach(async () => {
  server.closeAllConnections();
  await once(server.close(), "close");
});

test("no part is created for a client that stops reading, and it is disconnected", async () => {
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.pause();
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await until(() => hasEnded, "the client is disconnected");
  // What the buffers of both sockets take, and not more.
  expect(parts).toBeGreaterThan(1);
  expect(parts * PART.length).toBeLessThan(64 * 1024 * 1024);
  client.destroy();
});
