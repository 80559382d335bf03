import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { quantile } from "../bench/benchmark.js";
import type { GatewayProgram } from "../bench/gateway-program.js";
import type { ClientReport } from "./client-process.js";

const SAMPLE_MS = 25;
const PAGE_BYTES = 4_096;

/** Measurements over some time. */
export interface Stretch {
  /** Response times of the well-behaved client, in ms. */
  readonly p50: number;
  readonly p99: number;
  readonly answers: number;
  /** Requests of it that were not answered with 200. */
  readonly failed: number;
  /** Peak memory of the gateway, in MiB. */
  readonly memoryMiB: number;
}

/** A well-behaved client beside an attack, and the gateway's memory. */
export class Beside {
  readonly #gateway: GatewayProgram;
  readonly #client: ChildProcess;

  constructor(gateway: GatewayProgram) {
    this.#gateway = gateway;
    const program = fileURLToPath(new URL("./client-process.js", import.meta.url));
    this.#client = fork(program, [String(gateway.port)], { execArgv: [] });
  }

  /** Measurements until a promise settles. */
  async measure(until: Promise<unknown>): Promise<Stretch> {
    await this.#report();
    let isOver = false;
    const over = until.finally(() => {
      isOver = true;
    });
    let memoryMiB = 0;
    while (!isOver) {
      memoryMiB = Math.max(memoryMiB, residentMiB(this.#gateway));
      await Promise.race([over, sleep(SAMPLE_MS)]);
    }
    const { times, failed } = await this.#report();
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), answers: times.length, failed, memoryMiB };
  }

  end(): void {
    this.#client.kill("SIGKILL");
  }

  async #report(): Promise<ClientReport> {
    const reported = once(this.#client, "message");
    this.#client.send("report");
    return (await reported)[0] as ClientReport;
  }
}

function residentMiB(gateway: GatewayProgram): number {
  if (process.platform !== "linux") return gateway.rss();
  const [, pages] = readFileSync(`/proc/${gateway.pid}/statm`, "utf8").split(" ");
  return (Number(pages) * PAGE_BYTES) / 1_048_576;
}
