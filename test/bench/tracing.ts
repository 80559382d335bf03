import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Benchmark, Figure } from "./benchmark.js";
import { measureInTurns, ratiosOfRates } from "./compare.js";
import { createRawDatabase, fillFromRaw } from "./filled-database.js";
import { GatewayProgram } from "./gateway-program.js";
import { loadHttp } from "./http-load.js";

const BLOCKS = 5_000;
const MS = 300;
const ROUNDS = 41;

/** What tracing costs while it is off, and while it is on. */
export const tracing: Benchmark = {
  name: "tracing",
  title: "Tracing: off compared with none",
  about:
    "Requests per second of a gateway without `OTEL_EXPORTER_OTLP_ENDPOINT`, compared with one in which the calls that " +
    "report to tracing were replaced by nothing before it started. Then with tracing on, compared with off; the " +
    "collector reads and discards what it receives, and shares the processors.",
  run,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const database = await createRawDatabase({ blocks: BLOCKS, seed: 1, isSigned: false });
  await fillFromRaw(database.url);
  const collector = createServer((request, response) => {
    request.resume().on("end", () => response.end());
  }).listen(0, "127.0.0.1");
  const endpoint = () => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const figures: Figure[] = [];
  const settings = { RESPONSE_CACHE_BYTES: "0" };
  for (const path of ["/blocks/100", "/blocks?pageSize=100"]) {
    const off = await GatewayProgram.start(database.url, settings);
    const none = await GatewayProgram.start(database.url, {
      ...settings,
      NODE_OPTIONS: `--import ${new URL("./without-channels.js", import.meta.url).href}`,
    });
    const on = await GatewayProgram.start(database.url, { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint() });
    const rate = (port: number) => async () => (await loadHttp({ port, path: () => path, ms: MS })).rate;
    const compare = (ours: GatewayProgram, baseline: GatewayProgram) =>
      measureInTurns({ ours: rate(ours.port), baseline: rate(baseline.port), rounds: ROUNDS, warmUp: 8 });
    const [cost, traced] = [await compare(off, none), await compare(on, off)];
    for (const program of [off, none, on]) await program.stop();
    say(path);
    figures.push(
      {
        what: `\`${path}\`: tracing off / no tracing`,
        samples: ratiosOfRates(cost),
        unit: "ratio",
        target: { atLeast: 0.97 },
      },
      { what: "tracing off", samples: cost.ours, unit: "per second" },
      { what: "no tracing", samples: cost.baseline, unit: "per second" },
      { what: `\`${path}\`: tracing on / off`, samples: ratiosOfRates(traced), unit: "ratio" },
    );
  }
  collector.close();
  await database.drop();
  return figures;
}
