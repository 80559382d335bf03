import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayProgram } from "../bench/gateway-program.js";
import { processTree, readOfProcess } from "../support/process-tree.js";
import { heldSlots } from "../support/prometheus.js";
import { tlsFiles } from "../support/tls-files.js";
import { ask, keptConnections, type Port, type Question } from "./ask.js";
import { ATTACKER_ADDRESS } from "./hostile.js";
import { GRAPHQL_TOKEN, type Stage } from "./stage.js";

/** How a gateway is started for an attack. */
export interface GatewayForm {
  readonly isTls?: boolean;
  /** Besides those of the stage. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Whether the attacker's address is served when the attack is over. */
export interface Afterwards {
  /** Time until it has got all of its first answers, in ms; infinite if it has not. */
  readonly servedMs: number;
  /** Slots that clients hold. */
  readonly held: number | undefined;
  /** Lines of its metrics; 0 without an answer. */
  readonly metricLines: number;
  /** What it has logged, in bytes. */
  readonly loggedBytes: number;
}

/** An attacked client is served again within this time, in ms. */
export const SERVED_MS = 1_000;
/** More would be series whose number a stranger chooses. */
export const METRIC_LINES = 1_500;
/** Ten errors about the attacker have a tenth of it. */
export const LOGGED_BYTES = 262_144;
/**
 * All slots are given back within this time, in ms: work that waits for a client sees a second later that it has left.
 */
const HELD_MS = 5_000;
/** How long an attacked client asks for an answer. */
const ASKED_MS = 10_000;
const AGAIN_MS = 20;
const PAGE_BYTES = 4_096;
const WARM_UP_MS = 1_500;
const SETTLE_MS = 500;
const WARM_UP_PATHS = [
  "/blocks?pageSize=100",
  "/transactions/confirmed?pageSize=100&order=asc",
  "/accounts?pageSize=100",
  "/statements/transaction?pageSize=100",
  "/node/server",
];
const NO_HASHES = { transactionIds: Array<string>(100).fill("0".repeat(64)) };

/** The gateway that is attacked. */
export class AttackedGateway {
  readonly port: Port;
  readonly #program: GatewayProgram;
  readonly #folder: string;

  private constructor(program: GatewayProgram, folder: string, { isTls = false }: GatewayForm) {
    this.port = { port: program.port, isTls };
    this.#program = program;
    this.#folder = folder;
  }

  static async start(stage: Stage, form: GatewayForm = {}): Promise<AttackedGateway> {
    const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-attacked-"));
    const settings = { ...stage.settings, ...form.settings, ...(form.isTls && tlsFiles(folder)) };
    const program = await GatewayProgram.start(stage.databaseUrl, settings);
    return new AttackedGateway(program, folder, form);
  }

  /** Resident memory of all its processes, in MiB. */
  residentMiB(): number {
    if (process.platform !== "linux") return this.#program.rss();
    return processTree(this.#program.pid).reduce((sum, pid) => sum + residentMiB(pid), 0);
  }

  /** What it has logged until now. */
  get loggedBytes(): number {
    return this.#program.output.length;
  }

  /** Ordinary use, and then a pause, so that memory of any use is allocated before. @throws Error if it fails */
  async warmUp(): Promise<void> {
    const authorization = `Bearer ${GRAPHQL_TOKEN}`;
    const query = "{ blocks(first: 50) { data { height hash transactions { data { id } } } } }";
    const agent = keptConnections(this.port, 16);
    const end = performance.now() + WARM_UP_MS;
    const repeat = async (question: Question): Promise<void> => {
      while (performance.now() < end) {
        const { status } = (await ask(this.port, { ...question, agent })) ?? {};
        if (status !== 200) throw new Error(`${question.path} answered ${status}`);
      }
    };
    await Promise.all([
      ...[...WARM_UP_PATHS, ...WARM_UP_PATHS].map((asked) => repeat({ path: asked })),
      repeat({ path: "/graphql", body: { query }, headers: { authorization } }),
      repeat({ path: "/transactions/confirmed", body: NO_HASHES }),
    ]);
    agent.destroy();
    await sleep(SETTLE_MS);
  }

  /**
   * How soon the attacker's address is served, each time over a new connection, and which slots are still held.
   * @param heldMs how long it waits for them, by default as long as they may be held
   * @param askedMs how long it asks
   */
  async afterwards(heldMs = HELD_MS, askedMs = ASKED_MS): Promise<Afterwards> {
    const begun = performance.now();
    const questions = Array.from({ length: 2 }, () => [
      { path: `/blocks?pageSize=10&pageNumber=${2 + Math.floor(Math.random() * 400)}` },
      { path: "/transactions/confirmed", body: NO_HASHES },
    ]).flat();
    const times = await Promise.all(questions.map((question) => this.#served(question, begun, askedMs)));
    let [held, metricLines]: [number | undefined, number] = [undefined, 0];
    do {
      const metrics = await ask(this.port, { path: "/metrics" });
      held = metrics?.status === 200 ? heldSlots(metrics.text) : undefined;
      metricLines = metrics?.text.split("\n").length ?? 0;
    } while (held !== 0 && performance.now() < begun + heldMs);
    return { servedMs: Math.max(...times), held, metricLines, loggedBytes: this.loggedBytes };
  }

  /** Asks until there is an answer. @returns the time since the beginning, in ms */
  async #served(question: Question, begun: number, askedMs: number): Promise<number> {
    const passed = () => performance.now() - begun;
    while (passed() < askedMs) {
      const answer = await ask(this.port, { ...question, from: ATTACKER_ADDRESS, timeoutMs: askedMs - passed() });
      if (answer?.status === 200) return passed();
      await sleep(AGAIN_MS);
    }
    return Number.POSITIVE_INFINITY;
  }

  async stop(): Promise<void> {
    await this.#program.stop();
    rmSync(this.#folder, { recursive: true });
  }
}

function residentMiB(pid: number): number {
  const [, pages = 0] = readOfProcess(pid, "statm")?.split(" ") ?? [];
  return (Number(pages) * PAGE_BYTES) / 1_048_576;
}
