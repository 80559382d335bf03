import { fork } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { EmbeddedPostgres } from "../../cli/postgres/embedded-postgres.js";
import { GatewayProgram } from "../bench/gateway-program.js";
import { loadHttp } from "../bench/http-load.js";
import { throwawaySettings } from "../support/throwaway-settings.js";
import type { Attack } from "./attack.js";
import { type Measured, writeAttackPage } from "./attack-page.js";
import { Beside, type Stretch } from "./beside.js";
import { attacks } from "./list.js";
import { GRAPHQL_TOKEN, Stage } from "./stage.js";

/**
 * `npm run attack [-- NAME...]`: starts a gateway for each attack whose name begins with one of the words, or for all,
 * and attacks it, beside a well-behaved client. `--list` only names them. Exits with 1 if that client waited too
 * long, got no answer, or the gateway's memory grew too much.
 */

const PAGE = fileURLToPath(new URL("../../../docs/attacks.md", import.meta.url));
const P99_MS = 100;
const GROWTH_MIB = 64;
const BEFORE_MS = Number(process.env.ATTACK_BEFORE_MS ?? 1_500);
const WARM_UP_MS = 1_500;
const SETTLE_MS = 500;
const ATTACK_MS = Number(process.env.ATTACK_MS ?? 5_000);
/** Pause between two writes of events while an attack runs. */
const EVENTS_PAUSE_MS = 500;

interface Outcome {
  readonly before: Stretch;
  readonly during: Stretch;
  readonly problems: readonly string[];
}

async function main(words: readonly string[]): Promise<number> {
  const chosen = attacks.filter(({ name }) => words.length === 0 || words.some((word) => name.startsWith(word)));
  if (words.includes("--list") || chosen.length === 0) {
    for (const { name, about } of attacks) process.stdout.write(`${name.padEnd(32)} ${about}\n`);
    return words.includes("--list") ? 0 : 2;
  }
  const postgres = await EmbeddedPostgres.start({
    dataDirectory: await mkdtemp(path.join(tmpdir(), "symbol-gateway-attack-")),
    log: pino({ level: "warn" }, pino.destination(2)),
    settings: throwawaySettings,
    temporary: true,
  });
  process.env.TEST_POSTGRES_URL = postgres.connectionString;
  let exceeded = 0;
  const measured: Measured[] = [];
  let stage: Stage | undefined;
  try {
    stage = await Stage.build();
    process.stdout.write(
      `at most ${P99_MS} ms (p99) and ${GROWTH_MIB} MiB more\n\n` +
        `${"attack".padEnd(32)} before p50/p99     during p50/p99     memory\n`,
    );
    for (const attack of chosen) {
      const outcome = await attackOnce(stage, attack);
      process.stdout.write(`${describe(attack, outcome)}\n`);
      if (outcome.problems.length > 0) exceeded += 1;
      measured.push({ attack, ...outcome });
    }
    const limits = `${P99_MS} ms (p99) and ${GROWTH_MIB} MiB of growth`;
    if (chosen.length === attacks.length) writeAttackPage(PAGE, limits, measured, new Date());
  } finally {
    await stage?.end();
    await postgres.stop();
  }
  process.stdout.write(`\n${chosen.length} attacks, ${exceeded} exceeded the limits\n`);
  return exceeded === 0 ? 0 : 1;
}

/** A new gateway for each attack: memory left behind by one must not hide the use of the next. */
async function attackOnce(stage: Stage, attack: Attack): Promise<Outcome> {
  await stage.reset();
  const sequence = attack.before ? await stage.write(attack.before) : 0;
  const gateway = await GatewayProgram.start(stage.databaseUrl, stage.settings);
  const beside = new Beside(gateway);
  try {
    await warmUp(gateway.port);
    const before = await beside.measure(sleep(BEFORE_MS));
    const attacker = fork(fileURLToPath(new URL("./attacker-process.js", import.meta.url)), [attack.name], {
      execArgv: [],
    });
    attacker.send(stage.target(gateway.port, sequence));
    const during = await beside.measure(goOn(stage, attack));
    attacker.kill("SIGKILL");
    return { before, during, problems: problemsOf(before, during) };
  } finally {
    beside.end();
    await gateway.stop();
  }
}

/** Ordinary use, and then a pause, so that memory of any use is allocated before. */
async function warmUp(port: number): Promise<void> {
  const paths = [
    "/blocks?pageSize=100",
    "/transactions/confirmed?pageSize=100&order=asc",
    "/accounts?pageSize=100",
    "/statements/transaction?pageSize=100",
    "/node/server",
  ];
  await Promise.all([
    loadHttp({ port, path: (n) => paths[n % paths.length]!, ms: WARM_UP_MS }),
    ask(port, "/graphql", { query: "{ blocks(first: 50) { data { height hash transactions { data { id } } } } }" }),
    ask(port, "/transactions/confirmed", { transactionIds: Array(100).fill("0".repeat(64)) }),
  ]);
  await sleep(SETTLE_MS);
}

/** Posts a body repeatedly during the warm-up. */
async function ask(port: number, path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${GRAPHQL_TOKEN}` };
  const end = performance.now() + WARM_UP_MS;
  while (performance.now() < end) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      ...{ method: "POST", headers, body: JSON.stringify(body) },
    });
    await response.text();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  }
}

async function goOn(stage: Stage, { during }: Attack): Promise<void> {
  const end = performance.now() + ATTACK_MS;
  // The attacker's connections come first.
  await sleep(ATTACK_MS / 8);
  while (during && performance.now() < end) {
    await stage.write(during);
    await sleep(EVENTS_PAUSE_MS);
  }
  await sleep(Math.max(0, end - performance.now()));
}

function problemsOf(before: Stretch, during: Stretch): string[] {
  const growth = during.memoryMiB - before.memoryMiB;
  return [
    ...(during.p99 > P99_MS ? [`p99 above ${P99_MS} ms`] : []),
    ...(growth > GROWTH_MIB ? [`more than ${GROWTH_MIB} MiB`] : []),
    ...(during.failed > 0 ? [`${during.failed} requests not answered`] : []),
  ];
}

function describe({ name }: Attack, { before, during, problems }: Outcome): string {
  const times = ({ p50, p99 }: Stretch) => `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`.padEnd(18);
  const growth = during.memoryMiB - before.memoryMiB;
  const memory = `${before.memoryMiB.toFixed(0)} MiB ${growth < 0 ? "-" : "+"} ${Math.abs(growth).toFixed(0)}`;
  const verdict = problems.length > 0 ? `  EXCEEDED: ${problems.join(", ")}` : "";
  return `${name.padEnd(32)} ${times(before)} ${times(during)} ${memory}${verdict}`;
}

process.exitCode = await main(process.argv.slice(2));
