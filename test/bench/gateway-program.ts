import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { startProcess, type TestProcess } from "../support/process.js";
import { until } from "../support/until.js";

/** A gateway without a response cache. */
export const withoutCache: GatewayProgramOptions = {
  program: fileURLToPath(new URL("../support/gateway-without-cache.js", import.meta.url)),
};

export interface GatewayProgramOptions {
  /** Another one, such as that of another version, which is started as by an operator. */
  readonly program?: string;
  /** Options of node. */
  readonly execArgv?: readonly string[];
}

/** `symbol-gateway gateway` in its own process, as in production. */
export class GatewayProgram {
  readonly port: number;
  readonly #process: TestProcess;
  readonly #folder: string;

  private constructor(port: number, program: TestProcess, folder: string) {
    this.port = port;
    this.#process = program;
    this.#folder = folder;
  }

  /** Starts it on a database whose migrations have been run. */
  static async start(
    databaseUrl: string,
    settings: Readonly<Record<string, string>> = {},
    { program: script, execArgv = [] }: GatewayProgramOptions = {},
  ): Promise<GatewayProgram> {
    const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-bench-"));
    const env = { DATABASE_URL: databaseUrl, HOST: "127.0.0.1", PORT: "0", DATA_DIR: folder, ...settings };
    const program = startProcess(["gateway"], {
      env,
      cwd: folder,
      execArgv,
      ...(script !== undefined && { script, isUnsupervised: true }),
    });
    const line = await program.waitFor(/"port":\d+,"msg":"[^"]*listen/i);
    return new GatewayProgram(Number(/\d+/.exec(line)![0]), program, folder);
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** What it has logged. */
  get output(): string {
    return this.#process.output;
  }

  /** Resident memory of the process, in MiB. */
  rss(): number {
    return Number(execFileSync("ps", ["-o", "rss=", "-p", String(this.pid)], { encoding: "utf8" })) / 1_024;
  }

  /** A value of `/metrics`. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${this.port}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  }

  /** Waits until `count` subscriptions of `/ws` are open. */
  async subscribed(count: number): Promise<void> {
    const reached = async () => (await this.metric("symbol_gateway_websocket_subscriptions")) === count;
    await until(reached, `${count} subscriptions`, 60_000);
  }

  async stop(): Promise<void> {
    await this.#process.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true });
  }
}
