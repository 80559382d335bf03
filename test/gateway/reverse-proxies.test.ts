import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { WebSocket } from "ws";
import { makeExtensions } from "../../cli/parts/extensions.js";
import {
  nginxArgs,
  nginxFolders,
  nginxStart,
  type ReverseProxy,
  type RunningProxy,
  startProxy,
} from "../support/reverse-proxy.js";
import { skip } from "../support/skipped.js";
import { tlsFiles } from "../support/tls-files.js";
import { findProgram, lacking } from "../support/tools.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";

/** What reports of users name: answers that are kept, a path in front of ours, TLS, and upgrades, behind three proxies. */

const PREFIX = "/symbol";

/** Sends a request to a server with a certificate of its own making. */
function open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false, rejectUnauthorized: false }, resolve).on("error", reject).end();
  });
}

/** @returns the answer, of where a redirection leads to */
async function read(url: string, headers: Readonly<Record<string, string>> = {}) {
  let [at, response] = [url, await open(url, headers)];
  if (response.headers.location !== undefined) {
    at = new URL(response.headers.location, url).href;
    response = await open(at, headers);
  }
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += part;
  return { url: at, status: response.statusCode, headers: response.headers, text };
}

interface Files {
  readonly TLS_CERTIFICATE_FILE?: string;
  readonly TLS_KEY_FILE?: string;
}

/** Certificate and key in one file, which it wants. */
function pemOf({ TLS_CERTIFICATE_FILE = "", TLS_KEY_FILE = "" }: Files, folder: string): string {
  const file = path.join(folder, "both.pem");
  writeFileSync(file, readFileSync(TLS_CERTIFICATE_FILE, "utf8") + readFileSync(TLS_KEY_FILE, "utf8"));
  return file;
}

const nginx = ({ TLS_CERTIFICATE_FILE, TLS_KEY_FILE }: Files): ReverseProxy => ({
  name: "nginx",
  args: nginxArgs,
  // It keeps every answer that does not say otherwise.
  configuration: (folder, port, gatewayPort) => `${nginxStart(folder)}http {
  access_log off;
  ${nginxFolders(folder)}
  proxy_cache_path ${folder}/kept keys_zone=gateway:1m;
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${TLS_CERTIFICATE_FILE};
    ssl_certificate_key ${TLS_KEY_FILE};
    location ${PREFIX}/ {
      proxy_pass http://127.0.0.1:${gatewayPort}/;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_cache gateway;
      proxy_cache_valid any 10m;
      add_header X-Cache $upstream_cache_status always;
    }
  }
}
`,
});

const caddy = ({ TLS_CERTIFICATE_FILE, TLS_KEY_FILE }: Files): ReverseProxy => ({
  name: "caddy",
  args: (_folder, file) => ["run", "--adapter", "caddyfile", "--config", file],
  configuration: (_folder, port, gatewayPort) => `{
	admin off
	auto_https off
	skip_install_trust
	default_sni localhost
}
https://127.0.0.1:${port}, https://localhost:${port} {
	bind 127.0.0.1
	tls ${TLS_CERTIFICATE_FILE} ${TLS_KEY_FILE}
	handle_path ${PREFIX}/* {
		reverse_proxy 127.0.0.1:${gatewayPort}
	}
}
`,
});

const haproxy = (files: Files): ReverseProxy => ({
  name: "haproxy",
  args: (_folder, file) => ["-db", "-f", file],
  configuration: (folder, port, gatewayPort) => `cache kept
  total-max-size 4
  max-age 600
defaults
  mode http
  option forwardfor
  timeout connect 5s
  timeout client 90s
  timeout server 90s
frontend in
  bind 127.0.0.1:${port} ssl crt ${pemOf(files, folder)}
  http-request set-header X-Forwarded-Proto https
  http-request replace-path ${PREFIX}(/.*) \\1
  http-request cache-use kept
  http-response cache-store kept
  default_backend gateway
backend gateway
  server one 127.0.0.1:${gatewayPort}
`,
});

for (const [name, proxyOf] of [
  ["nginx", nginx],
  ["caddy", caddy],
  ["haproxy", haproxy],
] as const) {
  const program = findProgram(name);
  if (program === undefined) {
    skip(`with TLS and a path of its own, ${name} in front`, lacking(name));
    continue;
  }
  describe(`with TLS and a path of its own, ${name} in front`, () => {
    let proxy: RunningProxy;
    let folder: string;
    let base: string;
    const gateway = GatewayFixture.use(5, {
      trustedProxies: ["127.0.0.1"],
      extensions: makeExtensions({ EXPLORER: "public" }),
    });

    beforeAll(async () => {
      folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-proxy-tls-"));
      const isUp = async (port: number) =>
        (await read(`https://localhost:${port}${PREFIX}/node/server`)).status === 200;
      proxy = await startProxy(proxyOf(tlsFiles(folder)), program, gateway.url, isUp);
      base = `https://localhost:${proxy.port}${PREFIX}`;
    });

    afterAll(async () => {
      await proxy?.stop();
      rmSync(folder, { recursive: true });
    });

    const get = (url: string, headers: Record<string, string> = {}) =>
      read(url.startsWith("https:") ? url : `${base}${url}`, headers);

    test("an answer of a moment is not kept: what was missing is found as soon as it is there", async () => {
      const hash = Buffer.alloc(32, 7);
      const where = `/transactionStatus/${hash.toString("hex")}`;
      for (let n = 0; n < 3; n++) expect((await get(where)).status).toBe(404);
      await sql`insert into transaction_statuses (hash, code, deadline, from_node, recorded_at)
        values (${hash}, 'Failure_Core_Past_Deadline', 1, true, now())`.execute(gateway.db);
      expect((await get(where)).status).toBe(200);
    });

    test("an answer that follows the chain is asked again each time", async () => {
      for (let n = 0; n < 3; n++) {
        const { status, headers } = await get("/chain/info");
        expect({ status, isKept: headers["x-cache"] === "HIT" }).toEqual({ status: 200, isKept: false });
      }
    });

    test("every file of the pages for people is found below the path", async () => {
      for (const page of ["/docs", "/explorer", "/explorer/block/2"]) {
        const response = await get(page, { accept: "text/html" });
        expect({ page, status: response.status }).toEqual({ page, status: 200 });
        const files = [...response.text.matchAll(/(?:src|href)="([^"#]+)"/g)]
          .map(([, file]) => new URL(String(file).replaceAll("&amp;", "&"), response.url))
          .filter(({ protocol }) => protocol === "https:");
        expect(files.length).toBeGreaterThan(1);
        for (const { href, pathname } of files) {
          expect(pathname.startsWith(`${PREFIX}/`)).toBe(true);
          expect({ href, status: (await get(href, { accept: "text/html,application/xhtml+xml,*/*" })).status }).toEqual(
            {
              href,
              status: 200,
            },
          );
        }
      }
    });

    test("descriptions name no other address", async () => {
      for (const file of ["/openapi.json", "/asyncapi.json"]) {
        const { servers } = JSON.parse((await get(file)).text);
        expect(JSON.stringify(servers)).not.toMatch(/127\.0\.0\.1|:3000|"protocol":"(ws|http)"/);
      }
    });

    test("messages arrive over wss and as server-sent events, one by one", async () => {
      const socket = new WebSocket(`${base.replace("https", "wss")}/ws`, { rejectUnauthorized: false });
      const received: { uid?: string; topic?: string }[] = [];
      socket.on("message", (data) => received.push(JSON.parse(data.toString())));
      await until(() => received.length > 0, "the uid");
      socket.send(JSON.stringify({ uid: received[0]?.uid, subscribe: "block" }));
      const stream = await open(`${base}/events?topic=block`);
      let text = "";
      stream.setEncoding("utf8").on("data", (part: string) => (text += part));
      await until(async () => {
        await gateway.events.write({ channel: "block", data: { n: 1 } });
        return received.length > 1 && text.includes("data:");
      }, "both have a message");
      expect(received[1]).toMatchObject({ topic: "block", data: { n: 1 } });
      socket.close();
      stream.destroy();
    });
  });
}
