import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import type { TestDatabase } from "../support/database.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { smallChain } from "../support/small-chain.js";

/** More files of ours than this in the way of one request are hard to hold in the head. */
const MOST_FILES = 35;
const MOST_FILES_KEPT = 10;
const PATH = "/blocks?pageSize=10";

let folder: string;
let database: TestDatabase;
let program: TestProcess;
let url: string;
let inspector: Inspector;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-path-"));
  database = await smallChain();
  program = startProcess(["gateway"], {
    env: {
      ...{ DATABASE_URL: database.url, DATA_DIR: folder, HOST: "127.0.0.1", PORT: "0" },
      NODE_OPTIONS: "--inspect=127.0.0.1:0",
    },
    cwd: folder,
  });
  const line = await program.waitFor(/"port":\d+,"msg":"[^"]*listen/i);
  url = `http://127.0.0.1:${/\d+/.exec(line)![0]}`;
  inspector = await Inspector.open(/ws:\/\/\S+/.exec(program.output)![0]);
  // What happens once in a process is not the way of a request.
  for (const other of [11, 12, 13]) await ask(`/blocks?pageSize=${other}`);
  await inspector.call("Profiler.enable");
  await inspector.call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
});

afterAll(async () => {
  inspector?.close();
  await program?.kill();
  await database?.drop();
  if (folder) rmSync(folder, { recursive: true });
});

async function ask(asked: string): Promise<void> {
  const response = await fetch(url + asked);
  await response.text();
  expect(response.status).toBe(200);
}

/** The files of ours in which a function runs each time that something is done: others run for the process itself. */
async function filesDuring(work: (n: number) => Promise<void>): Promise<string[]> {
  let files = await filesOnce(() => work(0));
  for (let n = 1; n < 3; n++) {
    const again = new Set(await filesOnce(() => work(n)));
    files = files.filter((file) => again.has(file));
  }
  return files;
}

async function filesOnce(work: () => Promise<void>): Promise<string[]> {
  await inspector.call("Profiler.takePreciseCoverage");
  await work();
  const { result } = (await inspector.call("Profiler.takePreciseCoverage")) as { result: ScriptCoverage[] };
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)));
  const ours = ran.filter(({ url: file }) => !file.includes("/node_modules/"));
  return ours.flatMap(({ url: file }) => /\/dist\/(.*)\.js$/.exec(file)?.[1] ?? []).sort();
}

// Ten of them read the database, which goes past the driver (database/binary).
test(`a request whose answer is not kept runs through at most ${MOST_FILES} files`, async () => {
  // What was requested before may be kept.
  const files = await filesDuring((n) => ask(`/blocks?pageSize=${14 + n}`));
  print("GET /blocks", files);
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
});

test(`a request whose answer is kept runs through at most ${MOST_FILES_KEPT} files`, async () => {
  // Only what is requested repeatedly is kept.
  for (let n = 0; n < 2; n++) await ask(PATH);
  const files = await filesDuring(() => ask(PATH));
  print(`GET ${PATH}, kept`, files);
  expect(files.length).toBeLessThanOrEqual(MOST_FILES_KEPT);
});

function print(what: string, files: readonly string[]): void {
  process.stdout.write(`${files.length} files run for ${what}:\n  ${files.join("\n  ")}\n`);
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** A connection to the inspector of a process. */
class Inspector {
  readonly #socket: WebSocket;
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(address: string): Promise<Inspector> {
    const socket = new WebSocket(address);
    await once(socket, "open");
    return new Inspector(socket);
  }

  /** @throws Error with the inspector's message */
  call(method: string, params = {}): Promise<unknown> {
    const id = ++this.#calls;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => {
      const read = (data: Buffer): void => {
        const message = JSON.parse(data.toString()) as { id?: number; result?: unknown; error?: { message: string } };
        if (message.id !== id) return;
        this.#socket.off("message", read);
        if (message.error) reject(new Error(`${method}: ${message.error.message}`));
        else resolve(message.result);
      };
      this.#socket.on("message", read);
    });
  }

  close(): void {
    this.#socket.close();
  }
}
