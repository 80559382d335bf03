import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** The well-behaved client, in its own process: it sends requests at a steady pace, and reports each response time. */

/** Its report: times in ms since the last report; `failed` were not answered with 200. */
export interface ClientReport {
  readonly times: readonly number[];
  readonly failed: number;
}

const PACE_MS = 20;
/** Longer times count as this, in ms. */
const GIVE_UP_MS = 30_000;
const PATHS = ["/node/server", "/chain/info", "/node/server", "/blocks/1"];

const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: 20 });
let times: number[] = [];
let failed = 0;

function ask(path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get({ agent, port, host: "127.0.0.1", path, timeout: GIVE_UP_MS }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
      response.on("error", () => resolve(undefined));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(undefined));
  });
}

/** Pending requests, with their start times: they count when a report is due. */
const pending = new Set<number>();

async function measure(path: string): Promise<void> {
  const begun = performance.now();
  pending.add(begun);
  const status = await ask(path);
  pending.delete(begun);
  if (status !== 200) failed += 1;
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
  void measure(PATHS[n % PATHS.length]!);
  await sleep(PACE_MS);
}
