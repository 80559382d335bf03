import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../../database/connection.js";
import type { Db } from "../../../database/database.js";
import { readHead } from "../../../database/queries/head.js";
import { createMigratedDatabase } from "../../support/database.js";
import { startProcess } from "../../support/process.js";
import { writeNodeSection } from "../attack-page.js";
import { type NodeAttack, nodeAttacks } from "./node-attacks.js";
import { NodeScene } from "./node-scene.js";

const LONGEST_LAG_MS = 15_000;
const MAX_MIB = 600;
const ATTACK_MS = Number(process.env.ATTACK_NODES_MS ?? 45_000);
const AT_ONCE = Number(process.env.ATTACK_NODES_AT_ONCE ?? 3);
const BLOCK_MS = 2_000;
const POLL_MS = 100;

/** What an indexer did that follows a hostile node, and an honest one. */
export interface NodeOutcome {
  readonly attack: NodeAttack;
  /** The longest time in which the index lacked a block of the honest node. */
  readonly lagMs: number;
  /** Peak memory of the indexer's process; undefined if the system does not report it. */
  readonly peakMiB: number | undefined;
  /** How often it dropped the node, or ignored its pool. */
  readonly rejections: number;
  readonly problems: readonly string[];
}

/** The honest node's blocks, and when each came, in ms of `performance.now`. */
class HonestChain {
  readonly #scene: NodeScene;
  readonly #times: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(scene: NodeScene) {
    this.#scene = scene;
    this.#note();
    this.#timer = setInterval(() => void this.#grow(), BLOCK_MS);
  }

  /** The first height that the index lacked at some time since `since`, for longest. @returns the time, in ms */
  waited(height: number, since: number): number {
    const next = this.#times[height];
    return next === undefined ? 0 : performance.now() - Math.max(next, since);
  }

  hashAt(height: number): Buffer {
    return this.#scene.honest.devnet.block(height).hash;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #grow(): Promise<void> {
    await this.#scene.honest.devnet.harvest(1);
    this.#note();
  }

  /** The block at height n + 1 is at n. */
  #note(): void {
    while (this.#times.length < this.#scene.honest.devnet.height) this.#times.push(performance.now());
  }
}

/**
 * Attacks indexers by nodes: all, or those whose names begin with one of the words. A run of all writes its section of
 * the page. `ATTACK_NODES_LOG=1` prints the indexers' logs.
 *
 * @returns the exit code: 1 if a limit was exceeded
 */
export async function attackNodes(words: readonly string[], page: string): Promise<number> {
  const chosen = nodeAttacks.filter(({ name }) => words.length === 0 || words.some((word) => name.startsWith(word)));
  const limits = `${LONGEST_LAG_MS / 1_000} s and ${MAX_MIB} MiB`;
  process.stdout.write(`at most ${limits}\n\n${"attack".padEnd(28)} longest lag   peak memory   rejections\n`);
  const scene = await NodeScene.start();
  const chain = new HonestChain(scene);
  const outcomes = new Map<NodeAttack, NodeOutcome>();
  const queue = [...chosen];
  const work = async () => {
    for (let attack = queue.shift(); attack; attack = queue.shift()) {
      const outcome = await attackOnce(scene, chain, attack);
      outcomes.set(attack, outcome);
      process.stdout.write(`${describe(outcome)}\n`);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    chain.end();
    await scene.stop();
  }
  const measured = chosen.map((attack) => outcomes.get(attack)!);
  if (chosen.length === nodeAttacks.length) writeNodeSection(page, limits, measured, new Date());
  const exceeded = measured.filter(({ problems }) => problems.length > 0).length;
  process.stdout.write(`\n${chosen.length} attacks, ${exceeded} exceeded the limits\n`);
  return exceeded === 0 ? 0 : 1;
}

async function attackOnce(scene: NodeScene, chain: HonestChain, attack: NodeAttack): Promise<NodeOutcome> {
  const folder = await mkdtemp(path.join(tmpdir(), "symbol-gateway-attacked-"));
  const database = await createMigratedDatabase();
  const db = openDatabase({ url: database.url, poolSize: 2, onError: () => undefined });
  const hostile = await attack.start(scene);
  const { devnet } = scene.honest;
  const indexer = startProcess(["indexer"], {
    cwd: folder,
    env: {
      ...{ DATABASE_URL: database.url, DATA_DIR: folder, CATAPULT_TLS_DIR: path.join(folder, "tls") },
      CATAPULT_NODES: [hostile.address, ...(hostile.others ?? []), devnet]
        .map(({ port }) => `127.0.0.1:${port}`)
        .join(),
      CATAPULT_RESOURCES: devnet.resourcesDirectory,
      ...{ LOG_LEVEL: "warn" },
    },
  });
  let lagMs = 0;
  let peakMiB: number | undefined;
  try {
    const since = performance.now();
    while (performance.now() - since < ATTACK_MS) {
      await sleep(POLL_MS);
      lagMs = Math.max(lagMs, chain.waited((await readHead(db))?.height ?? 0, since));
      peakMiB = (await peakOf(indexer.pid)) ?? peakMiB;
    }
    const exit = await indexer.kill("SIGTERM");
    if (process.env.ATTACK_NODES_LOG) process.stdout.write(indexer.output);
    const rejections =
      indexer.output.match(/Dropped a node that serves|Ignoring the pending transactions/g)?.length ?? 0;
    const problems = [
      ...(lagMs > LONGEST_LAG_MS ? [`a block was missing for ${Math.round(lagMs / 1_000)} s`] : []),
      ...((peakMiB ?? 0) > MAX_MIB ? [`${peakMiB} MiB`] : []),
      ...(exit.code === 0 ? [] : [`the indexer ended with ${exit.code ?? exit.signal}`]),
      ...(await falseRows(db, scene, chain)),
    ];
    return { attack, lagMs, peakMiB, rejections, problems };
  } finally {
    await indexer.kill();
    await hostile.close();
    await db.destroy();
    await database.drop();
    await rm(folder, { recursive: true });
  }
}

/** What is stored and not true of the honest node's chain. */
async function falseRows(db: Db, { honest }: NodeScene, chain: HonestChain): Promise<string[]> {
  const blocks = await db.selectFrom("blocks").select(["height", "hash"]).execute();
  const wrong = blocks.filter(({ height, hash }) => !chain.hashAt(height).equals(hash));
  const final = await honest.client.finalizationStatistics();
  const finalized = await db.selectFrom("finalized_blocks").selectAll().execute();
  const isTrue = ({ epoch, point, height }: (typeof finalized)[number]) =>
    (epoch === final.epoch && point === final.point && height === final.height) || (epoch === 1 && height === 1);
  const pending = await db.selectFrom("pending_transactions").select("hash").execute();
  const claims = finalized.filter((row) => !isTrue(row)).map((row) => `final: ${JSON.stringify(row)}`);
  return [
    ...wrong.map(({ height }) => `block ${height} is not that of the honest node`),
    ...claims,
    ...(pending.length > 0 ? [`${pending.length} pending transactions`] : []),
  ];
}

async function peakOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const [, kib] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
  return kib === undefined ? undefined : Math.round(Number(kib) / 1_024);
}

function describe({ attack, lagMs, peakMiB, rejections, problems }: NodeOutcome): string {
  const outcome = problems.length > 0 ? `  EXCEEDED: ${problems.slice(0, 3).join(", ")}` : "";
  const lag = `${(lagMs / 1_000).toFixed(1)} s`.padEnd(13);
  return `${attack.name.padEnd(28)} ${lag} ${`${peakMiB ?? "?"} MiB`.padEnd(13)} ${rejections}${outcome}`;
}
