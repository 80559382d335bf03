import type { Benchmark, Figure } from "./benchmark.js";
import { measureInTurns, ratiosOfRates } from "./compare.js";
import { createRawDatabase, fillFromRaw } from "./filled-database.js";
import { GatewayProgram } from "./gateway-program.js";
import { loadHttp } from "./http-load.js";

const BLOCKS = 5_000;
const MS = 1_000;
const ROUNDS = 9;
const CONNECTIONS = 32;

/** Two workers compared with one process. */
export const workers: Benchmark = {
  name: "workers",
  title: "REST: two workers compared with one process",
  about:
    "Requests per second of a gateway with `--workers 2` and of a single-process gateway, over 32 connections. On a " +
    "machine with two processors they share these with PostgreSQL and the load generator, so there is little to " +
    "gain here, and there is no goal. First with the response cache off, then on.",
  run,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const database = await createRawDatabase({ blocks: BLOCKS, seed: 1, isSigned: false });
  await fillFromRaw(database.url);
  const figures: Figure[] = [];
  for (const [what, settings] of [
    ["`/blocks?pageSize=100`", { RESPONSE_CACHE_BYTES: "0" }],
    ["the same, from the response cache", {}],
  ] as const) {
    const one = await GatewayProgram.start(database.url, settings);
    const two = await GatewayProgram.start(database.url, settings, { workers: 2 });
    const path = "/blocks?pageSize=100";
    const rate = (port: number) => async () =>
      (await loadHttp({ port, path: () => path, connections: CONNECTIONS, ms: MS })).rate;
    const rates = await measureInTurns({ ours: rate(two.port), baseline: rate(one.port), rounds: ROUNDS, warmUp: 3 });
    await one.stop();
    await two.stop();
    say(what);
    figures.push(
      { what: `${what}: two workers / one process`, samples: ratiosOfRates(rates), unit: "ratio" },
      { what: "two workers", samples: rates.ours, unit: "per second" },
      { what: "one process", samples: rates.baseline, unit: "per second" },
    );
  }
  await database.drop();
  return figures;
}
