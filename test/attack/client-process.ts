import { setTimeout as sleep } from "node:timers/promises";
import { ask, keptConnections, type Question } from "./ask.js";

/** The well-behaved client, in its own process: it sends requests at a steady pace, and reports each response time. */

/** Its report: times in ms since the last report; `failed` were not answered with 200. */
export interface ClientReport {
  readonly times: readonly number[];
  readonly failed: number;
}

const PACE_MS = 20;
const CONNECTIONS = 20;
const PATHS = ["/node/server", "/chain/info", "/node/server", "/blocks/1"];

const [port, protocol, payload] = process.argv.slice(2);
const gateway = { port: Number(port), isTls: protocol === "https" };
const agent = keptConnections(gateway, CONNECTIONS);
let times: number[] = [];
let failed = 0;

/** Pending requests, with their start times: they count when a report is due. */
const pending = new Set<number>();

/** A transaction that it simulates now and then, if it was given one. */
const simulation: Question[] = payload ? [{ path: "/transactions/simulate", body: { payload } }] : [];
const questions: readonly Question[] = [...PATHS.map((path) => ({ path })), ...simulation];

async function measure(question: Question): Promise<void> {
  const begun = performance.now();
  pending.add(begun);
  // One that is given up counts as that time.
  const answer = await ask(gateway, { ...question, agent });
  pending.delete(begun);
  if (answer?.status !== 200) failed += 1;
  times.push(performance.now() - begun);
}

process.on("message", () => {
  const now = performance.now();
  const report: ClientReport = { times: [...times, ...[...pending].map((begun) => now - begun)], failed };
  times = [];
  failed = 0;
  process.send?.(report);
});

for (let n = 0; ; n++) {
  void measure(questions[n % questions.length]!);
  await sleep(PACE_MS);
}
