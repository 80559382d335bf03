import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { createCredentials } from "../../catapult/certificate/certificate.js";
import { TlsFilesError } from "../../gateway/http/tls.js";
import { get, RawClient } from "../support/raw-client.js";
import { nginxArgs, nginxFolders, nginxStart, type ReverseProxy, startProxy } from "../support/reverse-proxy.js";
import { skip } from "../support/skipped.js";
import { startTestGateway } from "../support/test-gateway.js";
import { findProgram, lacking } from "../support/tools.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";

/** A certificate named `name`, and its key. */
const createPair = (name: string) => createCredentials({ commonName: name });

let folder: string;
let files: { certificateFile: string; keyFile: string };

const gateway = GatewayFixture.use(3, async () => {
  folder = await mkdtemp(path.join(tmpdir(), "symbol-gateway-tls-"));
  files = { certificateFile: path.join(folder, "cert.pem"), keyFile: path.join(folder, "key.pem") };
  await writePair("first");
  return { tls: { ...files, watchIntervalMs: 20 } };
});

afterAll(() => rm(folder, { recursive: true }));

async function writePair(name: string): Promise<void> {
  const { certificatePem, privateKeyPem } = createPair(name);
  await writeFile(files.keyFile, privateKeyPem);
  await writeFile(files.certificateFile, certificatePem);
}

/** The certificates here are of Ed25519. */
function otherKindOfKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return String(privateKey.export({ type: "pkcs8", format: "pem" }));
}

const port = () => Number(new URL(gateway.url).port);

/** The name in the certificate of a new connection, and the protocol. */
async function greet(): Promise<{ name: string; protocol: string | null }> {
  const socket: TLSSocket = connect({ port: port(), host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const greeting = { name: String(socket.getPeerCertificate().subject.CN), protocol: socket.getProtocol() };
  socket.destroy();
  return greeting;
}

describe("with a certificate", () => {
  test("the gateway speaks only HTTPS", async () => {
    const client = await RawClient.open({ port: port(), isTls: true });
    client.write(get("/blocks/1"));
    await until(() => client.answers.length > 0, "an answer");
    expect(JSON.parse(client.answers[0]!.body).block.height).toBe("1");
    client.reset();
    await expect(fetch(`http://127.0.0.1:${port()}/blocks/1`)).rejects.toThrow();
  });

  test("/ws is encrypted too", async () => {
    const socket = new WebSocket(`wss://127.0.0.1:${port()}/ws`, { rejectUnauthorized: false });
    const [message] = (await once(socket, "message")) as [Buffer];
    expect(JSON.parse(message.toString())).toEqual({ uid: expect.any(String) });
    socket.terminate();
  });

  test("a renewed certificate is used without a restart, a bad one is not", async () => {
    expect((await greet()).name).toBe("first");
    await writePair("second");
    await until(async () => (await greet()).name === "second", "the second certificate is used");
    await writeFile(files.certificateFile, "nonsense");
    await gateway.log.has("Cannot use the new TLS certificate; keeping the old one");
    expect(await greet()).toEqual({ name: "second", protocol: "TLSv1.3" });
    await writePair("third");
    await until(async () => (await greet()).name === "third", "the third certificate is used");
  });
});

/** Proxies that speak TLS to the gateway, and keep their connections to it. */
const PROXIES: readonly ReverseProxy[] = [
  {
    name: "nginx",
    args: nginxArgs,
    configuration: (own, listened, gatewayPort) => `${nginxStart(own)}http {
  access_log off;
  ${nginxFolders(own)}
  upstream gateway { server 127.0.0.1:${gatewayPort}; keepalive 4; }
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${listened};
    location / {
      proxy_pass https://gateway;
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
    }
  }
}
`,
  },
  {
    name: "caddy",
    args: (_own, file) => ["run", "--adapter", "caddyfile", "--config", file],
    configuration: (_own, listened, gatewayPort) => `{
	admin off
	auto_https off
}
http://127.0.0.1:${listened} {
	bind 127.0.0.1
	reverse_proxy https://127.0.0.1:${gatewayPort} {
		transport http {
			tls_insecure_skip_verify
		}
	}
}
`,
  },
];

for (const proxy of PROXIES) {
  const title = `behind ${proxy.name}, a renewed certificate costs no request and no WebSocket`;
  const program = findProgram(proxy.name);
  if (program === undefined) skip(title, lacking(proxy.name));
  else
    test(title, async () => {
      const status = async (at: number) => (await fetch(`http://127.0.0.1:${at}/blocks/1`)).status;
      const running = await startProxy(proxy, program, gateway.url, async (at) => (await status(at)) === 200);
      try {
        const socket = new WebSocket(`ws://127.0.0.1:${running.port}/ws`);
        await once(socket, "message");
        const name = `behind ${proxy.name}`;
        await writePair(name);
        const answers = new Set<number>();
        const isRenewed = async () => {
          for (let n = 0; n < 5; n++) answers.add(await status(running.port));
          return (await greet()).name === name;
        };
        await until(isRenewed, "the new certificate is used");
        await isRenewed();
        expect([...answers]).toEqual([200]);
        socket.ping();
        await once(socket, "pong");
        expect(socket.readyState).toBe(WebSocket.OPEN);
        socket.terminate();
      } finally {
        await running.stop();
      }
    });
}

test.each([
  ["a missing file", { keyFile: "/nonexistent/key.pem" }],
  ["a key that is another certificate's", {}],
  ["a key of another kind than the certificate's", {}, otherKindOfKey()],
])(
  "%s keeps the gateway from starting, and is named",
  async (_what, change, key = createPair("other").privateKeyPem) => {
    const other = path.join(folder, "other.pem");
    await writeFile(other, key);
    const tls = { ...files, keyFile: other, ...change };
    const starting = startTestGateway({ databaseUrl: gateway.database.url, nodes: [gateway.node.address()], tls });
    await expect(starting).rejects.toThrow(TlsFilesError);
    await expect(starting).rejects.toThrow(`${tls.certificateFile} with the key ${tls.keyFile} cannot be used: `);
  },
);
