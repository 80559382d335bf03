import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { freePort } from "../support/free-port.js";
import { signIn } from "../support/sign-in.js";
import { skip } from "../support/skipped.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";

const TOKEN = "a-token-of-some-length";
const PLACES = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/sbin", "/usr/local/sbin"];

interface Proxy {
  readonly name: string;
  readonly args: (folder: string, file: string) => readonly string[];
  /** Forwards by HTTP/1.1 and names no client, as both do by default. */
  readonly configuration: (folder: string, port: number, gatewayPort: number) => string;
}

const proxies: readonly Proxy[] = [
  {
    name: "nginx",
    args: (folder, file) => ["-e", "stderr", "-p", folder, "-c", file],
    configuration: (
      folder,
      port,
      gatewayPort,
    ) => `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit;
events {}
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(" ")}
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

function find(name: string): string | undefined {
  return PLACES.map((folder) => path.join(folder, name)).find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Starts a proxy in front of a port. */
async function start(
  proxy: Proxy,
  program: string,
  gatewayUrl: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), `symbol-gateway-${proxy.name}-`));
  const port = await freePort();
  const file = path.join(folder, "configuration");
  await writeFile(file, proxy.configuration(folder, port, Number(new URL(gatewayUrl).port)));
  let output = "";
  const child: ChildProcess = spawn(program, proxy.args(folder, file), { stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${proxy.name} ended: ${output}`);
    return fetch(`${url}/node/server`).then(
      ({ ok }) => ok,
      () => false,
    );
  }, `${proxy.name} answers`);
  return {
    url,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

for (const proxy of proxies) {
  const program = find(proxy.name);
  if (program === undefined) {
    skip(`behind ${proxy.name} on the same machine`, `there is no ${proxy.name} here`);
    continue;
  }
  describe(`behind ${proxy.name} on the same machine`, () => {
    let guarded: GatewayFixture;
    let closed: GatewayFixture;
    const running: { url: string; stop: () => Promise<void> }[] = [];

    beforeAll(async () => {
      guarded = await GatewayFixture.start(
        { blocks: 2, seed: 1 },
        { graphqlTokens: [{ name: "default", token: TOKEN }] },
      );
      // As `symbol-gateway gateway` starts it.
      closed = await GatewayFixture.start({ blocks: 2, seed: 1 }, { answersLocalCallers: false });
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
      expect(await asked.json()).toEqual({ data: { chain: { height: 2 } } });
      const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws", {
        headers: { cookie },
      });
      const heard = new Promise((resolve) =>
        socket.once("message", (data) => resolve(JSON.parse(data.toString()).type)),
      );
      socket.once("open", () => socket.send(JSON.stringify({ type: "connection_init" })));
      expect(await heard).toBe("connection_ack");
      socket.close();
    });
  });
}
