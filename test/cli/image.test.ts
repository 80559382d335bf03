import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, cp, mkdir, symlink } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { anotherUser } from "../support/another-user.js";
import { freePort } from "../support/free-port.js";
import { startProcess } from "../support/process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { tlsFiles } from "../support/tls-files.js";

const root = new URL("../../../", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), "utf8");
const dockerfile = read("Dockerfile");

/** A user of Shoestring's, who owns nothing of the image. */
const USER: { readonly uid?: number; readonly gid?: number } = anotherUser ?? {};

/** The words of an instruction that is written as a JSON list. */
const wordsOf = (instruction: string): string[] =>
  JSON.parse(new RegExp(`^${instruction} (\\[.*\\])$`, "m").exec(dockerfile)?.[1] ?? "[]");

const environmentOf = () =>
  Object.fromEntries(
    (/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? "").split(" ").map((entry) => entry.split("=") as [string, string]),
  );

describe("the image", () => {
  const folder = temporaryFolder();
  /** The image's file system, in a folder of this machine. */
  const inImage = (text: string) => text.replace(/^\/(app|var)\b/, `${folder}/$1`);

  beforeAll(async () => {
    await chmod(folder, 0o755);
    await mkdir(path.join(folder, "app"));
    const from = (name: string) => fileURLToPath(new URL(name, root));
    await cp(from("dist"), path.join(folder, "app/dist"), {
      recursive: true,
      filter: (file) => !/\/dist\/test(\/|-artifacts|$)/.test(file),
    });
    await cp(from("package.json"), path.join(folder, "app/package.json"));
    await symlink(from("node_modules"), path.join(folder, "app/node_modules"));
    await mkdir(path.join(folder, "rest-cache"));
    await mkdir(path.join(folder, "data"), { mode: 0o777 });
    for (const data of dataFolders()) {
      await mkdir(inImage(data), { recursive: true });
      await chmod(inImage(data), 0o1777);
    }
  });

  /** What the Dockerfile makes writable for every user. */
  const dataFolders = () =>
    (/chmod 1777 (.*)$/m.exec(dockerfile)?.[1] ?? "").split(" ").map((name) => environmentOf()[name.slice(1)] ?? name);

  /** Runs the image's entry point, in the working folder that Shoestring gives its REST service. */
  function run(args: readonly string[], env: Record<string, string>) {
    const [, ...words] = wordsOf("ENTRYPOINT");
    const environment = Object.entries(environmentOf()).map(([name, value]) => [name, inImage(value)]);
    return spawnSync(process.execPath, [...words.map(inImage), ...args], {
      cwd: path.join(folder, "rest-cache"),
      env: { PATH: process.env.PATH, HOME: "/", ...Object.fromEntries(environment), ...env },
      ...USER,
      encoding: "utf8",
      timeout: 120_000,
    });
  }

  test("runs in any working folder, as any user, and keeps its data out of a node's /data", async () => {
    expect(wordsOf("ENTRYPOINT").at(-1)).toMatch(/^\//);
    const { DATA_DIR, CATAPULT_TLS_DIR } = environmentOf();
    expect(dataFolders()).toEqual([DATA_DIR, CATAPULT_TLS_DIR]);
    expect(`${DATA_DIR} ${CATAPULT_TLS_DIR} ${/^VOLUME (.*)$/m.exec(dockerfile)?.[1]}`).not.toMatch(/(^| )\/data\b/);
    const { status, stdout, stderr } = run(["check", "--sample", "1"], {
      DATABASE_URL: `postgres://symbol@127.0.0.1:${await freePort()}/symbol`,
      CATAPULT_NODES: `127.0.0.1:${await freePort()}`,
    });
    // It has come as far as the database, which is not there.
    expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 1, said: expect.stringMatching(/ECONNREFUSED/) });
    const gateway = run(["gateway", "--help"], {});
    expect(gateway).toMatchObject({ status: 0 });
  });

  test("creates its certificate as any user, and nothing in /data", async () => {
    const env = {
      DATABASE_URL: "postgres://symbol@127.0.0.1:1/symbol",
      CATAPULT_NODES: "127.0.0.1:1",
      HOST: "192.0.2.1",
    };
    // It ends because it cannot listen on a foreign address, after everything else.
    const { stdout, stderr } = run(["gateway"], env);
    expect(`${stdout}${stderr}`).toMatch(/HOST must be an address of this machine/);
    const certificates = inImage(environmentOf().CATAPULT_TLS_DIR ?? "");
    expect(readdirSync(certificates).sort()).toEqual(["ca.cert.pem", "node.crt.pem", "node.key.pem"]);
    const key = statSync(path.join(certificates, "node.key.pem"));
    expect({ mode: key.mode & 0o777, uid: key.uid }).toEqual({ mode: 0o600, uid: USER.uid ?? process.getuid?.() });
    expect(readdirSync(path.join(folder, "data"))).toEqual([]);
  });

  test("has all files that the gateway reads at run time", () => {
    const copied = [...dockerfile.matchAll(/^COPY --from=\w+ (\S.*) \S+$/gm)].map(([, names = ""]) => names).join(" ");
    expect(copied).toBe("/app/node_modules /app/dist /app/package.json /app/LICENSE");
    const load = `
      const { schema } = await import("./dist/schema/schema.js");
      const { explorer } = await import("./dist/explorer/explorer.js");
      const router = (await import("express")).default();
      explorer(false).serve(router, { schema, access: { limitGuesses() {} } });`;
    const args = ["--input-type=module", "-e", load];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: path.join(folder, "app"), encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("is asked for its health by its own program, everywhere", () => {
    const check = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? "[]";
    const words = JSON.parse(check) as string[];
    expect(words).toEqual(["node", wordsOf("ENTRYPOINT").at(-1), "health"]);
    const services = Object.entries(
      (parse(read("deploy/compose.yaml"), { merge: true }) as Composition).services,
    ).filter(([, { image }]) => image === "symbol-gateway");
    const checks = Object.fromEntries(services.map(([name, { healthcheck }]) => [name, healthcheck]));
    const asked = (...more: string[]) => expect.objectContaining({ test: ["CMD", ...words, ...more] });
    expect(checks).toEqual({
      migrate: { disable: true },
      backfill: { disable: true },
      indexer: asked("indexer"),
      "gateway-1": asked(),
      "gateway-2": asked(),
    });
  });
});

interface Composition {
  readonly services: Readonly<Record<string, { readonly image: string; readonly healthcheck?: object }>>;
}

describe("symbol-gateway health", () => {
  const folder = temporaryFolder();
  const answer: RequestListener = (request, response) => {
    const isReady = request.url === "/ready" || request.url === "/metrics";
    const message = { code: "ServiceUnavailable", message: "nothing is indexed yet: try again" };
    response.writeHead(isReady && isReadyNow ? 200 : 503).end(JSON.stringify(message));
  };
  let isReadyNow = true;
  const server = createServer(answer);
  let port: number;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  async function health(env: Record<string, string>, ...args: string[]) {
    const program = startProcess(["health", ...args], { env });
    const { code } = await program.exited;
    return { code, said: program.output };
  }

  test("is the answer of /ready, on the port that has it", async () => {
    isReadyNow = true;
    expect(await health({ PORT: String(port) })).toEqual({
      code: 0,
      said: `http://localhost:${port}/ready responds with 200.\n`,
    });
    expect(await health({ INTERNAL_PORT: String(port), PORT: "1" })).toMatchObject({ code: 0 });
    expect(await health({ HOST: "127.0.0.1", PORT: String(port) })).toMatchObject({ code: 0 });
    isReadyNow = false;
    expect(await health({ PORT: String(port) })).toMatchObject({
      code: 1,
      said: expect.stringContaining("503: nothing is indexed yet: try again"),
    });
    const free = await freePort();
    expect(await health({ PORT: String(free) })).toMatchObject({
      code: 1,
      said: expect.stringContaining(`:${free}/ready does not respond`),
    });
  });

  test("does not need a certificate for localhost", async () => {
    isReadyNow = true;
    const files = tlsFiles(folder);
    const [cert, key] = Object.values(files).map((file) => readFileSync(file));
    const secure = createTlsServer({ cert, key }, answer);
    await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
    try {
      const env = { PORT: String((secure.address() as AddressInfo).port), ...files };
      expect(await health(env)).toMatchObject({ code: 0 });
    } finally {
      secure.close();
    }
  });

  test("of an indexer is that of its metrics", async () => {
    isReadyNow = true;
    expect(await health({ INDEXER_METRICS_PORT: `0.0.0.0:${port}` }, "indexer")).toMatchObject({ code: 0 });
    expect(await health({}, "indexer")).toEqual({
      code: 2,
      said: "INDEXER_METRICS_PORT is not set: an indexer without it cannot be asked.\n",
    });
  });
});
