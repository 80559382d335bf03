import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { GatewayProgram, type GatewayProgramOptions } from "../bench/gateway-program.js";
import type { TestDatabase } from "../support/database.js";
import { OWN_LOCKS } from "../support/own-catalogues.js";
import { isAlive } from "../support/process.js";
import { heldSlots } from "../support/prometheus.js";
import { get, type RawAnswer, RawClient, type RawTarget } from "../support/raw-client.js";
import { chainOf, createChainDatabase } from "../support/served-chain.js";
import { tlsFiles } from "../support/tls-files.js";
import { isWithin } from "../support/until.js";

/** What is given back or answered at all is so long before; what is not would be so after minutes, or never. */
const SOON_MS = 5_000;

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
  async ask(request: string, timeoutMs = SOON_MS): Promise<RawAnswer | undefined> {
    const client = await this.open();
    client.write(request);
    await isWithin(timeoutMs, () => client.isClosed || client.answers.length > 0);
    client.reset();
    return client.answers[0];
  }

  /**
   * Runs something while these tables are locked: statements that read them wait until it has ended, and so do
   * their requests.
   */
  async whileLocked<T>(tables: readonly string[], work: (lock: TableLock) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.#database.url });
    await client.connect();
    try {
      await client.query(`begin; lock table ${tables.join(", ")} in access exclusive mode`);
      return await work(new TableLock(client));
    } finally {
      await client.query("rollback");
      await client.end();
    }
  }

  /** The slots that clients hold, without those of the question itself; undefined if it is not answered soon. */
  async heldSlots(): Promise<number | undefined> {
    const metrics = await this.ask(get("/metrics"));
    return metrics && heldSlots(metrics.body);
  }

  async close(): Promise<void> {
    await this.#program.stop();
    await this.#database.drop();
    rmSync(this.#folder, { recursive: true });
  }
}

/** Locked tables. */
class TableLock {
  readonly #client: pg.Client;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Number of statements that wait for the tables. */
  async waiting(): Promise<number> {
    const { rows } = await this.#client.query<{ waiting: number }>(
      `select count(*)::int as waiting from ${OWN_LOCKS} where not granted`,
    );
    return rows[0]!.waiting;
  }

  /** Whether at least this number of statements wait for the tables, or soon do. */
  isAwaited(statements: number): Promise<boolean> {
    return isWithin(SOON_MS, async () => (await this.waiting()) >= statements);
  }
}
