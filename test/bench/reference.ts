import type { Benchmark, Figure } from "./benchmark.js";
import { measureInTurns, ratiosOfRates } from "./compare.js";
import { createRawDatabase, fillFromRaw } from "./filled-database.js";
import { GatewayProgram, withoutCache } from "./gateway-program.js";
import type { LoadOptions } from "./http-load.js";
import { backendsOf, costOfLoad } from "./processor-time.js";
import { restKinds } from "./rest-kinds.js";
import { ServerProcess } from "./server-process.js";

const BLOCKS = 20_000;
const MS = 400;
const ROUNDS = 15;
const WARM_UP = 6;
/** Rows of a page, and the ratio to reach. */
const PAGES = [
  { rows: 100, atLeast: 10 },
  { rows: 10, atLeast: 4 },
];
/** Of the reference gateway. */
const { BENCH_REFERENCE } = process.env;

/** Pages of blocks compared with the reference gateway. */
export const reference: Benchmark = {
  name: "reference",
  title: "REST: pages of blocks compared with catapult-rest",
  about:
    "Requests per second over 16 connections; a third process generates the load, and all share the processors. The " +
    "baseline is catapult-rest with a database that costs nothing: its function for blocks returns the same 100 documents " +
    "each time, so that its rate is that of routing, formatting and sending. The gateway reads from PostgreSQL, with the " +
    "response cache off: the same page each time, of which requests that arrive together share " +
    'one read; and "a different one each time" of 1,000 pages. Processor time is that of the gateway and of PostgreSQL ' +
    "(Linux only). It runs if `BENCH_REFERENCE` names a program that sends `{ port }` to its parent.",
  run,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  if (BENCH_REFERENCE === undefined) {
    say("skipped: BENCH_REFERENCE does not name a program that serves the reference gateway");
    return [];
  }
  const database = await createRawDatabase({ blocks: BLOCKS, seed: 1 });
  await fillFromRaw(database.url);
  const kinds = await restKinds(database.url, []);
  say(`${BLOCKS} blocks stored`);
  const gateway = await GatewayProgram.start(database.url, {}, withoutCache);
  const baseline = await ServerProcess.start(BENCH_REFERENCE);
  const figures: Figure[] = [];
  for (const { rows, atLeast } of PAGES) {
    for (const [place, { paths }] of kinds.slice(0, 2).entries()) {
      const pages = paths.map((path) => path.replace("pageSize=100", `pageSize=${rows}`));
      for (const { port } of [gateway, baseline]) await checkPage(`http://127.0.0.1:${port}${pages[0]}`, rows);
      const load = (port: number): LoadOptions => ({ port, path: (n) => pages[n % pages.length] as string, ms: MS });
      const costs = { ours: [] as number[], baseline: [] as number[] };
      const rateOf = (side: "ours" | "baseline", port: number, pids: () => Promise<number[]>) => async () => {
        const { rate, cost } = await costOfLoad(await pids(), load(port));
        costs[side].push(cost);
        return rate;
      };
      const rates = await measureInTurns({
        ours: rateOf("ours", gateway.port, async () => [gateway.pid, ...(await backendsOf(database.url))]),
        baseline: rateOf("baseline", baseline.port, async () => [baseline.process.pid as number]),
        rounds: ROUNDS,
        warmUp: WARM_UP,
      });
      const what = place === 0 ? `\`/blocks?pageSize=${rows}\`` : "the same, a different one each time";
      say(what);
      figures.push(
        { what: `${what}: gateway / catapult-rest`, samples: ratiosOfRates(rates), unit: "ratio", target: { atLeast } },
        { what: "gateway", samples: rates.ours, unit: "per second" },
        { what: "catapult-rest", samples: rates.baseline, unit: "per second" },
        {
          what: "processor time per request, catapult-rest / gateway and PostgreSQL",
          samples: costs.ours.map((cost, round) => costs.baseline[round]! / cost).slice(WARM_UP),
          unit: "ratio",
        },
      );
    }
  }
  baseline.stop();
  await gateway.stop();
  await database.drop();
  return figures;
}

/** @throws Error when the page has another number of entries */
async function checkPage(url: string, rows: number): Promise<void> {
  const { data } = (await (await fetch(url)).json()) as { data?: { block?: { height?: string } }[] };
  if (data?.length !== rows || data[0]?.block?.height === undefined)
    throw new Error(`${url} did not return ${rows} blocks`);
}
