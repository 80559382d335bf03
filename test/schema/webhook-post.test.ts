import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test } from "@jest/globals";
import { ReceiverAddresses } from "../../schema/webhooks/addresses.js";
import { Poster } from "../../schema/webhooks/post.js";
import { afterOwnTime, pause } from "../support/until.js";

const TIMEOUT_MS = 300;
const NEVER = new AbortController().signal;
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Resolves long after an attempt should have ended. */
function inVain(): Promise<string> {
  return afterOwnTime(10_000).then(() => "it hangs");
}

async function posterTo(react: (response: ServerResponse) => void): Promise<Poster> {
  const server = createServer((_request, response) => react(response)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const poster = new Poster(url, new ReceiverAddresses(["127.0.0.1"]), TIMEOUT_MS);
  closers.push(
    () => poster.close(),
    () => server.close().closeAllConnections(),
  );
  return poster;
}

test("a receiver that hangs fails in time, whatever the garbage collector collects meanwhile", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const poster = await posterTo(() => undefined);
  const posted = poster.post("{}", {}, NEVER);
  for (let round = 0; round < 3; ++round) {
    await pause(20);
    collect();
  }
  expect(await Promise.race([posted, inVain()])).toMatchObject({ problem: "no answer in time" });
});

test("a response that does not end keeps the next message for a moment only", async () => {
  const poster = await posterTo((response) => response.writeHead(200).write("…"));
  expect(await poster.post("{}", {}, NEVER)).toBeUndefined();
  expect(await Promise.race([poster.post("{}", {}, NEVER), inVain()])).toBeUndefined();
});

test("an answer that switches the protocol is a failure like any other, and the next attempt is made", async () => {
  const poster = await posterTo((response) => {
    response.socket?.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  });
  for (let attempt = 0; attempt < 2; ++attempt) {
    const answer = await Promise.race([poster.post("{}", {}, NEVER), inVain()]);
    expect(answer).toMatchObject({ problem: "bad upgrade" });
  }
});

test("an attempt ends with its signal, while connecting too", async () => {
  const stop = new AbortController();
  // an address for documentation: nothing answers there
  const poster = new Poster("http://192.0.2.1/", new ReceiverAddresses(["192.0.2.1"]), 60_000);
  closers.push(() => poster.close());
  const posted = poster.post("{}", {}, stop.signal);
  stop.abort(new Error("stopped"));
  expect(await Promise.race([posted, inVain()])).toMatchObject({ problem: "stopped" });
});

test("a connection that is never made fails in time", async () => {
  // no TLS handshake is answered
  const server = createTcpServer((socket) => closers.push(() => socket.destroy()));
  server.listen({ port: 0, host: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  closers.push(() => server.close());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const poster = new Poster(url, new ReceiverAddresses(["127.0.0.1"]), TIMEOUT_MS);
  closers.push(() => poster.close());
  expect(await Promise.race([poster.post("{}", {}, NEVER), inVain()])).toMatchObject({ problem: "no answer in time" });
});
