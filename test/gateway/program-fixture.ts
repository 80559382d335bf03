import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { GatewayProgram, type GatewayProgramOptions } from "../bench/gateway-program.js";
import type { TestDatabase } from "../support/database.js";
import { isAlive } from "../support/process.js";
import { heldSlots } from "../support/prometheus.js";
import { get, type RawAnswer, RawClient, type RawTarget } from "../support/raw-client.js";
import { chainOf, createChainDatabase } from "../support/served-chain.js";
import { tlsFiles } from "../support/tls-files.js";
import { isWithin, until } from "../support/until.js";
import { type TableLock, whileLocked } from "./table-lock.js";

/** Of this process' own time: what is given back or answered at all is so before, what is not would be so never. */
export const LONGEST_WAIT_MS = 120_000;

/** The program `symbol-gateway gateway` in a process of its own, over a database with a chain of 60 blocks. */
export class ProgramFixture {
  readonly target: RawTarget;
  readonly #database: TestDatabase;
  readonly #program: GatewayProgram;
  readonly #folder: string;

  private constructor(database: TestDatabase, program: GatewayProgram, folder: string, isTls: boolean) {
    this.target = { port: program.port, isTls };
    this.#database = database;
    this.#program = program;
    this.#folder = folder;
  }

  static async start(
    settings: Readonly<Record<string, string>> = {},
    isTls = false,
    options: GatewayProgramOptions = {},
  ): Promise<ProgramFixture> {
    const database = await createChainDatabase(chainOf(60));
    const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-program-"));
    const program = await GatewayProgram.start(database.url, { ...(isTls && tlsFiles(folder)), ...settings }, options);
    return new ProgramFixture(database, program, folder, isTls);
  }

  get isAlive(): boolean {
    return isAlive(this.#program.pid);
  }

  /** What the program has logged. */
  get output(): string {
    return this.#program.output;
  }

  /** A connection of a client: all of them have the same address. */
  open(): Promise<RawClient> {
    return RawClient.open(this.target);
  }

  /** Sends one request over a connection of its own. @returns the answer; undefined if there is none in time */
  async ask(request: string, timeoutMs = LONGEST_WAIT_MS): Promise<RawAnswer | undefined> {
    const client = await this.open();
    client.write(request);
    await isWithin(timeoutMs, () => client.isClosed || client.answers.length > 0);
    client.reset();
    return client.answers[0];
  }

  whileLocked<T>(tables: readonly string[], work: (lock: TableLock) => Promise<T>): Promise<T> {
    return whileLocked(this.#database.url, tables, work);
  }

  /** Waits until clients hold no slots, without those of the question itself. */
  async hasNoHeldSlots(): Promise<void> {
    await until(async () => {
      const metrics = await this.ask(get("/metrics"));
      return metrics !== undefined && heldSlots(metrics.body) === 0;
    }, "all slots are given back");
  }

  async close(): Promise<void> {
    await this.#program.stop();
    await this.#database.drop();
    rmSync(this.#folder, { recursive: true });
  }
}
