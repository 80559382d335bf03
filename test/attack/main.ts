import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { startPostgres } from "../../cli/postgres/embedded-postgres.js";
import { throwawaySettings } from "../support/throwaway-settings.js";
import type { Attack } from "./attack.js";
import { type Measured, writeAttackPage } from "./attack-page.js";
import { type Afterwards, AttackedGateway, LOGGED_BYTES, METRIC_LINES, SERVED_MS } from "./attacked-gateway.js";
import { Beside, type Stretch } from "./beside.js";
import { attacks } from "./list.js";
import { attackNodes } from "./nodes/attack-nodes.js";
import { nodeAttacks } from "./nodes/node-attacks.js";
import { Stage } from "./stage.js";

/**
 * `npm run attack [-- NAME...]`: starts a gateway for each attack whose name begins with one of the words, or for all,
 * and attacks it, beside a well-behaved client. `--list` only names them. Exits with 1 if that client waited too
 * long, got no answer, the gateway's memory grew too much, or the attacker's address is not served again afterwards.
 * `npm run attack -- nodes [NAME...]` attacks an indexer by the nodes that it follows.
 */

const PAGE = fileURLToPath(new URL("../../../docs/evidence/attacks.md", import.meta.url));
const P99_MS = 100;
const GROWTH_MIB = 64;
const BEFORE_MS = Number(process.env.ATTACK_BEFORE_MS ?? 1_500);
/** The attacker's process is busy, and waits for the gateway's. */
const ANSWER_MS = 10_000;
const LONGEST_ATTACK_MS = 180_000;
const ATTACK_MS = Number(process.env.ATTACK_MS ?? 5_000);
/** Pause between two writes of events while an attack runs. */
const EVENTS_PAUSE_MS = 500;

interface Outcome extends Measured {
  readonly problems: readonly string[];
}

async function main(words: readonly string[]): Promise<number> {
  const areNodes = words[0] === "nodes";
  const chosen = areNodes
    ? attacks
    : attacks.filter(({ name }) => words.length === 0 || words.some((word) => name.startsWith(word)));
  if (words.includes("--list") || chosen.length === 0) {
    for (const { name, about } of [...attacks, ...nodeAttacks]) process.stdout.write(`${name.padEnd(32)} ${about}\n`);
    return words.includes("--list") ? 0 : 2;
  }
  const postgres = await startPostgres({
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
    if (areNodes) return await attackNodes(words.slice(1), PAGE);
    stage = await Stage.build();
    process.stdout.write(
      `at most ${P99_MS} ms (p99) and ${GROWTH_MIB} MiB more\n\n` +
        `${"attack".padEnd(32)} before p50/p99     during p50/p99     memory         served again\n`,
    );
    for (const attack of chosen) {
      const outcome = await attackOnce(stage, attack);
      process.stdout.write(`${describe(outcome)}\n`);
      if (outcome.problems.length > 0) exceeded += 1;
      measured.push(outcome);
    }
    const limits = `${P99_MS} ms (p99), ${GROWTH_MIB} MiB of growth of each process, ${SERVED_MS} ms until the first answers, no slot held, ${METRIC_LINES} lines of metrics and ${LOGGED_BYTES / 1_024} KiB of log`;
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
  const gateway = await AttackedGateway.start(stage, attack.gateway);
  const beside = new Beside(gateway, attack.isBesideSimulations ? stage.payload : undefined);
  try {
    await gateway.warmUp();
    const before = await beside.measure(sleep(BEFORE_MS));
    const stored = await stage.storedBytes();
    const attacker = fork(fileURLToPath(new URL("./attacker-process.js", import.meta.url)), [attack.name], {
      execArgv: [],
      serialization: "advanced",
    });
    attacker.send(stage.target(gateway.port, sequence));
    const work = attack.ends ? endOf(attacker) : goOn(stage, attack);
    const during = await beside.measure(work);
    const answers = attack.ends ? "" : await answersTo(attacker);
    attacker.kill("SIGKILL");
    const afterwards = await gateway.afterwards();
    const problems = problemsOf(before, during, afterwards);
    const grown = (await stage.storedBytes()) - stored;
    const { storedBytes = Number.POSITIVE_INFINITY } = attack;
    if (grown > storedBytes) problems.push(`${Math.round(grown / 1_024)} KiB stored`);
    if (!(await work)) problems.push("the attack has not done what it says");
    return { attack, before, during, afterwards, answers, problems };
  } finally {
    beside.end();
    await gateway.stop();
  }
}

/** Lets an attack run for some seconds. @returns true */
async function goOn(stage: Stage, { during }: Attack): Promise<boolean> {
  const end = performance.now() + ATTACK_MS;
  // The attacker's connections come first.
  await sleep(ATTACK_MS / 8);
  while (during && performance.now() < end) {
    await stage.write(during);
    await sleep(EVENTS_PAUSE_MS);
  }
  await sleep(Math.max(0, end - performance.now()));
  return true;
}

/** Waits until an attack has ended by itself, or for a long time. @returns whether it has done what it says */
async function endOf(attacker: ChildProcess): Promise<boolean> {
  const signal = AbortSignal.timeout(LONGEST_ATTACK_MS);
  const ended = await Promise.race([once(attacker, "message", { signal }), once(attacker, "exit", { signal })]).catch(
    () => [],
  );
  return ended[0] === "ended";
}

/** How many answers of each status a second the floods of an attack got, as text; "" for other attacks. */
async function answersTo(attacker: ChildProcess): Promise<string> {
  const answered = once(attacker, "message", { signal: AbortSignal.timeout(ANSWER_MS) });
  attacker.send("answers");
  const [rates] = (await answered.catch(() => [undefined])) as [ReadonlyMap<number, number> | undefined];
  if (!rates) return "unknown";
  return [...rates].map(([status, rate]) => `${status || "none"}: ${Math.round(rate)}`).join(", ");
}

function problemsOf(
  before: Stretch,
  during: Stretch,
  { servedMs, held, metricLines, loggedBytes }: Afterwards,
): string[] {
  const growth = during.memoryMiB - before.memoryMiB;
  return [
    ...(during.p99 > P99_MS ? [`p99 above ${P99_MS} ms`] : []),
    ...(growth > GROWTH_MIB ? [`more than ${GROWTH_MIB} MiB`] : []),
    ...(during.failed > 0 ? [`${during.failed} requests not answered`] : []),
    ...(servedMs > SERVED_MS ? [`not served again within ${SERVED_MS} ms`] : []),
    ...(held !== 0 ? [`${held} slots held`] : []),
    ...(metricLines > METRIC_LINES ? [`${metricLines} lines of metrics`] : []),
    ...(loggedBytes > LOGGED_BYTES ? [`${loggedBytes} bytes logged`] : []),
  ];
}

function describe({ attack: { name }, before, during, afterwards, answers, problems }: Outcome): string {
  const times = ({ p50, p99 }: Stretch) => `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`.padEnd(18);
  const growth = during.memoryMiB - before.memoryMiB;
  const memory = `${before.memoryMiB.toFixed(0)} MiB ${growth < 0 ? "-" : "+"} ${Math.abs(growth).toFixed(0)}`;
  const outcome = problems.length > 0 ? `  EXCEEDED: ${problems.join(", ")}` : "";
  const served = `${afterwards.servedMs.toFixed(0)} ms`;
  const answered = answers && `  answers a second: ${answers}`;
  return `${name.padEnd(32)} ${times(before)} ${times(during)} ${memory.padEnd(14)} ${served}${answered}${outcome}`;
}

process.exitCode = await main(process.argv.slice(2));
