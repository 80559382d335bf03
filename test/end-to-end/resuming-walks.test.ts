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
import type { Resuming } from "../support/resuming.js";
import { ResumingClient } from "../support/resuming-client.js";
import { ResumingStream } from "../support/resuming-stream.js";
import { ResumingSubscription } from "../support/resuming-subscription.js";
import { SeededRandom } from "../support/seeded-random.js";
import { anyMoment, until } from "../support/until.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";

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
const clients: Resuming[] = [];
const receiver = new WebhookReceiver();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "symbol-gateway-walks-"));
  port = await freePort();
  database = new Database(path.join(folder, "postgres"), await freePort());
  await database.become("running");
  await migrateToLatest(database.url);
  writer = new EventWriter(database.url);
  await writer.begin();
  gateway = new Gateway(folder, {
    ...{ DATABASE_URL: database.url, DATA_DIR: folder, HOST: "127.0.0.1", PORT: String(port) },
    ...{ CATAPULT_NODES: "127.0.0.1:1", LOG_LEVEL: "error" },
    ...{ GRAPHQL_TOKEN: TOKEN, WEBHOOK_PRIVATE_NETWORKS: "127.0.0.1" },
  });
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.stop()));
  await gateway.become("killed");
  await writer.close();
  await database.become("killed");
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

/** The sequences that the receiver got, by topic; what was sent again, with the id of the first time, counts once. */
function deliveredSequences(): Map<string, number[]> {
  const seen = new Set<string>();
  const delivered = new Map<string, number[]>(TOPICS.map((topic) => [topic, []]));
  for (const { id, type, sequence } of receiver.received) {
    if (seen.has(id)) continue;
    seen.add(id);
    delivered.get(type)?.push(sequence ?? 0);
  }
  return delivered;
}

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

/** Number of messages that all clients and the webhook have received. */
function received(): number {
  return receiver.received.length + clients.reduce((sum, { heard }) => sum + [...heard.values()].flat().length, 0);
}

async function expectedSequences(): Promise<Map<string, number[]>> {
  const rows = await writer.query("SELECT sequence::int4 AS sequence, channel FROM events ORDER BY events.sequence");
  return new Map(
    TOPICS.map((topic) => [
      topic,
      rows.filter(({ channel }) => channel === topic).map(({ sequence }) => Number(sequence)),
    ]),
  );
}

test(
  `${WALKS} walks (TEST_WALKS): while gateway and PostgreSQL are killed, frozen and started, clients of all transports that resume, and a webhook, get every message once, in order`,
  async () => {
    const random = new SeededRandom();
    const startedAt = performance.now();
    const done = new Map<string, number>();
    for (const topics of [["block", "status"], ["cosignature"]]) {
      clients.push(new ResumingClient(() => `ws://127.0.0.1:${port}/ws`, topics, 1));
      const query = (wanted: readonly string[]) => wanted.map((topic) => `topic=${topic}`).join("&");
      clients.push(new ResumingStream((wanted) => `http://127.0.0.1:${port}/events?${query(wanted)}`, topics));
      clients.push(new ResumingSubscription(`ws://127.0.0.1:${port}/graphql`, TOKEN, topics));
    }
    await gateway.become("running");
    await until(
      () =>
        fetch(`http://127.0.0.1:${port}/graphql`).then(
          () => true,
          () => false,
        ),
      "the gateway listens",
    );
    await receiver.listen();
    await receiver.subscribe(`http://127.0.0.1:${port}`, TOPICS, { authorization: `Bearer ${TOKEN}` });
    for (const client of clients) client.start();
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
        if (random.below(4) === 0) clients[random.below(clients.length)]!.drop();
        const isServing = gateway.state === "running" && database.state === "running";
        // Otherwise most faults would meet a gateway that is starting, and delivers nothing yet.
        if (isServing && random.below(2) === 0) {
          const before = received();
          await writeSurely({ walk, step });
          await until(
            () => received() > before,
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
      const expected = await expectedSequences();
      const lacksLast = ([topic, heard]: [string, number[]]) => heard.at(-1) !== expected.get(topic)?.at(-1);
      const behind = () => {
        const heardBy = clients.map((client) => [client.constructor.name, client.heard] as const);
        return [...heardBy, ["webhook", deliveredSequences()] as const].filter(([, heard]) =>
          [...heard].some(lacksLast),
        );
      };
      const isOver = () => behind().length === 0;
      await until(isOver, `every client has the last message of walk ${walk + 1}`, LONGEST_WAIT_MS).catch(
        async (error) => {
          const missing = behind().map(([name, heard]) => [name, Object.fromEntries(heard)]);
          const queue = await writer.query(
            "SELECT number, state, attempts, next_attempt_at, problem FROM webhook_messages",
          );
          const facts = { missing, expected: Object.fromEntries(expected), queue: queue.slice(-20) };
          throw new Error(`${error.message}: ${JSON.stringify(facts)} ${gateway.output.slice(-2_000)}`);
        },
      );
      expect([...clients.flatMap(({ complaints }) => complaints), ...receiver.problems]).toEqual([]);
      for (const { heard } of clients) {
        for (const [topic, sequences] of heard) {
          expect({ walk, topic, sequences }).toEqual({ walk, topic, sequences: expected.get(topic) });
        }
      }
      expect(deliveredSequences()).toEqual(expected);
      expect(gateway.hasEnded).toBe(false);
      if ((walk + 1) % 10 === 0) process.stderr.write(`${walk + 1} walks, ${received()} messages\n`);
    }
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    const counts = [...done].map(([name, count]) => `${name} ${count}`).join(", ");
    process.stderr.write(`${WALKS} walks in ${seconds} s: ${counts}; ${received()} messages, each once and in order\n`);
  },
  WALKS * 2 * LONGEST_WAIT_MS,
);
