import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type EmbeddedPostgres, startPostgres } from "../../cli/postgres/embedded-postgres.js";
import { migrateToLatest } from "../../migrations/migrate.js";
import { silentLog } from "../support/connection-fixtures.js";
import { EventWriter } from "../support/event-writer.js";
import { freePort } from "../support/free-port.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { signalTree } from "../support/process-tree.js";
import { ResumingCrowd } from "../support/resuming-crowd.js";
import { SeededRandom } from "../support/seeded-random.js";
import { anyMoment, until } from "../support/until.js";

const WALKS = Number(process.env.TEST_WALKS ?? 2);
const STEPS = 8;
/** A server that is killed loses nothing that was committed: only the machine would. */
const SETTINGS = { fsync: "off", full_page_writes: "off", shared_buffers: "32MB" };
/**
 * A gateway needs two seconds of a processor to start: with one sixtieth of a processor, beside many programs, no
 * client had anything after two minutes.
 */
const LONGEST_WAIT_MS = 600_000;
const TOPICS = ["block", "status", "cosignature"] as const;
const TOKEN = "token-of-the-walks";
type State = "running" | "frozen" | "killed";

/** A real PostgreSQL that is killed, frozen and started. */
class Database {
  state: State = "killed";
  readonly #options;
  #server: EmbeddedPostgres | undefined;

  constructor(dataDirectory: string, port: number) {
    this.#options = { dataDirectory, port, log: silentLog, settings: SETTINGS };
  }

  get url(): string {
    return this.#server!.connectionString;
  }

  async become(state: State): Promise<void> {
    if (state !== "frozen" && this.state === "frozen") signalTree(this.#server!.pid, "SIGCONT");
    if (state === "killed" && this.state !== "killed") {
      signalTree(this.#server!.pid, "SIGKILL");
      await this.#server!.ended;
    }
    if (state !== "killed" && this.state === "killed") this.#server = await startPostgres(this.#options);
    if (state === "frozen") signalTree(this.#server!.pid, "SIGSTOP");
    this.state = state;
  }
}

/** A gateway that is killed, frozen and started. */
class Gateway {
  state: State = "killed";
  readonly #env: Readonly<Record<string, string>>;
  readonly #cwd: string;
  #process: TestProcess | undefined;
  #hasEnded = false;

  constructor(cwd: string, env: Readonly<Record<string, string>>) {
    this.#cwd = cwd;
    this.#env = env;
  }

  /** What it has written since its last start. */
  get output(): string {
    return this.#process?.output ?? "";
  }

  /** Whether it has ended by itself. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async become(state: State): Promise<void> {
    if (state !== "frozen" && this.state === "frozen") process.kill(this.#process!.pid, "SIGCONT");
    if (state === "killed" && this.state !== "killed") {
      const running = this.#process;
      this.#process = undefined;
      await running!.kill();
    }
    if (state !== "killed" && this.state === "killed") this.#start();
    if (state === "frozen") process.kill(this.#process!.pid, "SIGSTOP");
    this.state = state;
  }

  #start(): void {
    const started = startProcess(["gateway"], { env: this.#env, cwd: this.#cwd });
    this.#process = started;
    void started.exited.then((exit) => {
      if (this.#process !== started) return;
      process.stderr.write(`the gateway ended with ${JSON.stringify(exit)}: ${started.output.slice(-500)}\n`);
      this.#hasEnded = true;
    });
  }
}

let folder: string;
let port: number;
let database: Database;
let gateway: Gateway;
let writer: EventWriter;
let crowd: ResumingCrowd;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "symbol-gateway-walks-"));
  port = await freePort();
  database = new Database(path.join(folder, "postgres"), await freePort());
  await database.become("running");
  await migrateToLatest(database.url);
  writer = new EventWriter(database.url);
  await writer.begin();
  crowd = new ResumingCrowd(() => `127.0.0.1:${port}`, [["block", "status"], ["cosignature"]], TOKEN);
  gateway = new Gateway(folder, {
    ...{ DATABASE_URL: database.url, DATA_DIR: folder, HOST: "127.0.0.1", PORT: String(port) },
    ...{ CATAPULT_NODES: "127.0.0.1:1", LOG_LEVEL: "error" },
    ...{ GRAPHQL_TOKEN: TOKEN, WEBHOOK_PRIVATE_NETWORKS: "127.0.0.1" },
  });
});

afterAll(async () => {
  await crowd?.stop();
  await gateway.become("killed");
  await writer.close();
  await database.become("killed");
  await rm(folder, { recursive: true, force: true });
});

/** Writes some events, unless the database fails meanwhile: then it is unknown whether they are written. */
async function write(count: number, n: number): Promise<void> {
  const events = Array.from({ length: count }, (_, i) => ({
    channel: TOPICS[(n + i) % TOPICS.length]!,
    data: { n, i },
  }));
  await writer.write(...events).catch(() => undefined);
}

/** Writes these events, however often the database fails meanwhile. */
async function writeSurely(data: unknown): Promise<void> {
  const events = TOPICS.map((channel) => ({ channel, data }));
  await until(async () => (await writer.write(...events).catch(() => 0)) > 0, "events are written");
}

test(
  `${WALKS} walks (TEST_WALKS): while gateway and PostgreSQL are killed, frozen and started, clients of all transports that resume, and a webhook, get every message once, in order`,
  async () => {
    const random = new SeededRandom();
    const startedAt = performance.now();
    const done = new Map<string, number>();
    await gateway.become("running");
    await until(
      () =>
        fetch(`http://127.0.0.1:${port}/graphql`).then(
          () => true,
          () => false,
        ),
      "the gateway listens",
    );
    await crowd.start();
    for (let walk = 0; walk < WALKS; ++walk) {
      const writes: Promise<void>[] = [];
      for (let step = 0; step < STEPS; ++step) {
        const isGateway = random.below(2) === 0;
        const subject = isGateway ? gateway : database;
        const others = (["running", "frozen", "killed"] as const).filter((state) => state !== subject.state);
        const state = others[random.below(others.length)]!;
        await subject.become(state);
        const name = `${isGateway ? "gateway" : "PostgreSQL"} ${state}`;
        done.set(name, (done.get(name) ?? 0) + 1);
        writes.push(write(1 + random.below(4), walk * STEPS + step));
        if (random.below(4) === 0) crowd.drop(random);
        const isServing = gateway.state === "running" && database.state === "running";
        // Otherwise most faults would meet a gateway that is starting, and delivers nothing yet.
        if (isServing && random.below(2) === 0) {
          const before = crowd.received;
          await writeSurely({ walk, step });
          await until(
            () => crowd.received > before,
            `a message arrives in step ${step} of walk ${walk + 1}`,
            LONGEST_WAIT_MS,
          );
        }
        await anyMoment(random, 400);
      }
      await database.become("running");
      await gateway.become("running");
      await Promise.all(writes);
      await writeSurely("end");
      const problems = await crowd.problems(writer, LONGEST_WAIT_MS).catch((error) => {
        throw new Error(`${error.message} ${gateway.output.slice(-2_000)}`);
      });
      expect({ walk, problems }).toEqual({ walk, problems: [] });
      expect(gateway.hasEnded).toBe(false);
      if ((walk + 1) % 10 === 0) process.stderr.write(`${walk + 1} walks, ${crowd.received} messages\n`);
    }
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    const counts = [...done].map(([name, count]) => `${name} ${count}`).join(", ");
    process.stderr.write(
      `${WALKS} walks in ${seconds} s: ${counts}; ${crowd.received} messages, each once and in order\n`,
    );
  },
  WALKS * 2 * LONGEST_WAIT_MS,
);
