import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { quantile } from "../bench/benchmark.js";
import type { AttackedGateway } from "./attacked-gateway.js";
import type { ClientReport } from "./client-process.js";

const SAMPLE_MS = 25;

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
  readonly #gateway: AttackedGateway;
  readonly #client: ChildProcess;

  /** @param payload of a transaction that it also simulates, in hex */
  constructor(gateway: AttackedGateway, payload?: string) {
    this.#gateway = gateway;
    const { port, isTls } = gateway.port;
    const program = fileURLToPath(new URL("./client-process.js", import.meta.url));
    this.#client = fork(program, [String(port), isTls ? "https" : "http", payload ?? ""], { execArgv: [] });
  }

  /** Measurements until a promise settles. */
  async measure(until: Promise<unknown>): Promise<Stretch> {
    await this.#report();
    let hasEnded = false;
    const ended = until.finally(() => {
      hasEnded = true;
    });
    let memoryMiB = 0;
    while (!hasEnded) {
      memoryMiB = Math.max(memoryMiB, this.#gateway.residentMiB());
      await Promise.race([ended, sleep(SAMPLE_MS)]);
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
