import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { nginxArgs, nginxFolders, nginxStart, type ReverseProxy, startProxy } from "../support/reverse-proxy.js";
import { signIn } from "../support/sign-in.js";
import { skip } from "../support/skipped.js";
import { findProgram, lacking } from "../support/tools.js";
import { GatewayFixture } from "./gateway-fixture.js";

const TOKEN = "a-token-of-some-length";
/** Both forward by HTTP/1.1 and name no client, as by default. */
const proxies: readonly ReverseProxy[] = [
  {
    name: "nginx",
    args: nginxArgs,
    configuration: (folder, port, gatewayPort) => `${nginxStart(folder)}http {
  access_log off;
  ${nginxFolders(folder)}
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${gatewayPort};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
    }
  }
}
`,
  },
  {
    name: "haproxy",
    args: (_folder, file) => ["-db", "-f", file],
    configuration: (_folder, port, gatewayPort) => `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend in
  bind 127.0.0.1:${port}
  http-request set-header Host 127.0.0.1:${gatewayPort}
  default_backend gateway
backend gateway
  server one 127.0.0.1:${gatewayPort}
`,
  },
];

/** Starts a proxy in front of a gateway. */
async function start(proxy: ReverseProxy, program: string, gatewayUrl: string) {
  const isUp = async (port: number) => (await fetch(`http://127.0.0.1:${port}/node/server`)).ok;
  const { port, stop } = await startProxy(proxy, program, gatewayUrl, isUp);
  return { url: `http://127.0.0.1:${port}`, stop };
}

for (const proxy of proxies) {
  const program = findProgram(proxy.name);
  if (program === undefined) {
    skip(`behind ${proxy.name} on the same machine`, lacking(proxy.name));
    continue;
  }
  describe(`behind ${proxy.name} on the same machine`, () => {
    let guarded: GatewayFixture;
    let closed: GatewayFixture;
    const running: { url: string; stop: () => Promise<void> }[] = [];

    beforeAll(async () => {
      guarded = await GatewayFixture.start(3, { graphqlTokens: [{ name: "default", token: TOKEN }] });
      // As `symbol-gateway gateway` starts it.
      closed = await GatewayFixture.start(3, { answersLocalCallers: false });
      for (const { url } of [guarded, closed]) running.push(await start(proxy, program, url));
    });

    afterAll(async () => {
      for (const { stop } of running) await stop();
      await guarded?.close();
      await closed?.close();
    });

    test("a client from outside gets 403, with a token set and without", async () => {
      for (const { url } of running) {
        for (const where of ["/graphql?query={__typename}", "/graphql", "/explorer", "/explorer/main.js"]) {
          for (const accept of ["*/*", "text/html"]) {
            const { status } = await fetch(`${url}${where}`, { headers: { accept } });
            expect({ where, accept, status }).toEqual({ where, accept, status: 403 });
          }
        }
      }
    });

    test("an operator signs in, reads the explorer, queries, and subscribes", async () => {
      const url = running[0]?.url ?? "";
      const cookie = await signIn(url, TOKEN);
      expect((await fetch(`${url}/explorer`, { headers: { cookie } })).status).toBe(200);
      const asked = await fetch(`${url}/graphql?query={chain{height}}`, { headers: { cookie } });
      expect(await asked.json()).toEqual({ data: { chain: { height: 3 } } });
      const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws", {
        headers: { cookie },
      });
      const received = new Promise((resolve) =>
        socket.once("message", (data) => resolve(JSON.parse(data.toString()).type)),
      );
      socket.once("open", () => socket.send(JSON.stringify({ type: "connection_init" })));
      expect(await received).toBe("connection_ack");
      socket.close();
    });
  });
}
