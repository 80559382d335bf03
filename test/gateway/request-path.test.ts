import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import type { TestDatabase } from "../support/database.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { smallChain } from "../support/small-chain.js";

/** More files of ours than this in the way of one request are hard to hold in the head. The goal is 30. */
const MOST_FILES = 43;
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

/** The files of ours in which a function runs while something is done. */
async function filesDuring(work: () => Promise<void>): Promise<string[]> {
  await inspector.call("Profiler.takePreciseCoverage");
  await work();
  const { result } = (await inspector.call("Profiler.takePreciseCoverage")) as { result: ScriptCoverage[] };
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)));
  const ours = ran.filter(({ url: file }) => !file.includes("/node_modules/"));
  return ours.flatMap(({ url: file }) => /\/dist\/(.*)\.js$/.exec(file)?.[1] ?? []).sort();
}

test(`a request runs through at most ${MOST_FILES} files, and ${MOST_FILES_KEPT} when its answer is kept`, async () => {
  // What happens once in a process, or while nobody asks, is not the way of a request.
  for (const other of [11, 12, 13]) await ask(`/blocks?pageSize=${other}`);
  await inspector.call("Profiler.enable");
  await inspector.call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const idle = await filesDuring(() => new Promise((resolve) => setTimeout(resolve, 50)));
  const first = await filesDuring(() => ask(PATH));
  // Only what is requested repeatedly is kept.
  await ask(PATH);
  const kept = await filesDuring(() => ask(PATH));
  const print = (what: string, files: readonly string[]) => `${files.length} files ${what}:\n  ${files.join("\n  ")}\n`;
  process.stdout.write(print("idle", idle) + print(`for GET ${PATH}`, first) + print("for the same, kept", kept));
  expect({ first: first.length <= MOST_FILES, kept: kept.length <= MOST_FILES_KEPT }).toEqual({
    first: true,
    kept: true,
  });
});

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
