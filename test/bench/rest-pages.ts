import { fileURLToPath } from "node:url";
import { BareHttp } from "./bare-http.js";
import type { Benchmark, Figure, Target } from "./benchmark.js";
import { busiestAccounts } from "./busiest-accounts.js";
import { measureInTurns, ratiosOfRates } from "./compare.js";
import { createRawDatabase, fillFromRaw } from "./filled-database.js";
import { GatewayProgram, withoutCache } from "./gateway-program.js";
import { type LoadOptions, loadHttp } from "./http-load.js";
import { PreviousVersion } from "./previous-version.js";
import { backendsOf, costOfLoad } from "./processor-time.js";
import { restKinds } from "./rest-kinds.js";
import { ServerProcess } from "./server-process.js";
import { copyWithDocuments } from "./stored-documents.js";

const BLOCKS = 20_000;
/** Few enough for each to have hundreds of transactions. */
const ACCOUNTS = 400;
const MS = 300;
const ROUNDS = 7;
/** Rounds until the compiler has done its work on all of them. */
const WARM_UP = 8;
/** Connections of the requests for cached responses. */
const CONNECTIONS = [16, 48];
const CHECKED = 20;
/** The folder of a compiled earlier version, with which this one is compared too. */
const { BENCH_BEFORE } = process.env;

/** REST pages compared with hand-written handlers. */
export const restPages: Benchmark = {
  name: "rest-pages",
  title: "REST: pages compared with hand-written handlers",
  isPerNode: true,
  about:
    "Requests per second over 16 connections unless stated otherwise, each of another client (one has 4 requests in work at a " +
    "time); a third process generates the load, and all share the processors with " +
    "PostgreSQL. The baseline is a set of hand-written handlers with express and pg, one prepared statement each, that send " +
    "documents which are stored for them in a database of their own, and do nothing else: no other filters, limits, ETags " +
    "or error handling. The gateway's " +
    'response cache is off; "a different one each time" cycles through 1,000 pages or entries. ' +
    "The last rows show a gateway with default settings: repeated requests are answered from the response cache. They are " +
    "compared with the same " +
    "handlers, also for a client that has the answer already (`If-None-Match`), and with a bare `node:http` server that " +
    "sends the same headers and body from memory, without any check. With `BENCH_BEFORE=FOLDER`, the compiled version in that " +
    "folder gets the same requests, with a database of its own, and the processor time of gateway and PostgreSQL per request " +
    "is compared (Linux only).",
  run,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const database = await createRawDatabase({ blocks: BLOCKS, seed: 1, accounts: ACCOUNTS });
  const { transactions } = await fillFromRaw(database.url);
  const addresses = await busiestAccounts(database.url);
  const kinds = await restKinds(database.url, addresses);
  say(`${BLOCKS} blocks with ${transactions} transactions stored`);
  const documents = await copyWithDocuments(database.url);
  const reading = await GatewayProgram.start(database.url, {}, withoutCache);
  const keeping = await GatewayProgram.start(database.url);
  const baseline = await startBaseline(documents.url);
  const previous =
    BENCH_BEFORE === undefined
      ? undefined
      : await PreviousVersion.start(BENCH_BEFORE, database.url, { RESPONSE_CACHE_BYTES: "0" });
  const figures: Figure[] = [];
  const compare = (ours: LoadOptions, theirs: LoadOptions) =>
    measureInTurns({
      ours: async () => (await loadHttp(ours)).rate,
      baseline: async () => (await loadHttp(theirs)).rate,
      rounds: ROUNDS,
      warmUp: WARM_UP,
    });
  for (const { what, paths, atLeast = 0.9, atMost = 1.05 } of kinds) {
    const ports = [reading.port, keeping.port, baseline.port, ...(previous ? [previous.gateway.port] : [])];
    for (const path of paths.slice(0, CHECKED)) await checkSame(path, ports);
    const load = (port: number): LoadOptions => ({ port, path: (n) => paths[n % paths.length] as string, ms: MS });
    const rates = await compare(load(reading.port), load(baseline.port));
    // One path again and again has no goal: what is requested often is kept by default.
    const target = paths.length > 1 ? { atMost } : undefined;
    say(what);
    figures.push(
      {
        what: `${what}: gateway / hand-written`,
        samples: ratiosOfRates(rates),
        unit: "ratio",
        target: { atLeast },
      },
      { what: "gateway", samples: rates.ours, unit: "per second" },
      { what: "hand-written", samples: rates.baseline, unit: "per second" },
      ...(previous ? await comparedCosts({ gateway: reading, database }, previous, load, target) : []),
    );
  }
  const path = "/blocks?pageSize=100";
  const handWritten = { path: () => path, ms: MS, port: baseline.port };
  const kept = await compare(await cachedLoad(keeping.port, path), handWritten);
  const known = await compare(await cachedLoad(keeping.port, path, true), handWritten);
  figures.push(
    {
      what: `\`${path}\` from the response cache: gateway / hand-written`,
      samples: ratiosOfRates(kept),
      unit: "ratio",
    },
    {
      what: "the same, unchanged for the client (304): gateway / hand-written",
      samples: ratiosOfRates(known),
      unit: "ratio",
    },
  );
  const bare = await BareHttp.start();
  const transaction = kinds.flatMap(({ paths }) => paths).find((one) => one.startsWith("/transactions/confirmed/"));
  for (const cachedPath of ["/blocks?pageSize=10", path, transaction as string]) {
    const ours = await cachedLoad(keeping.port, cachedPath);
    await bare.copy(await fetch(`http://127.0.0.1:${keeping.port}${cachedPath}`, uncompressed));
    const name = cachedPath === transaction ? "/transactions/confirmed/{hash}" : cachedPath;
    for (const connections of CONNECTIONS) {
      const rates = await compare({ ...ours, connections }, { ...ours, connections, port: bare.port });
      const what = `\`${name}\` from the response cache, ${connections} connections`;
      say(what);
      figures.push(
        {
          what: `${what}: gateway / bare \`node:http\``,
          samples: ratiosOfRates(rates),
          unit: "ratio",
          target: { atLeast: 0.7 },
        },
        { what: "gateway", samples: rates.ours, unit: "per second" },
        { what: "bare `node:http`", samples: rates.baseline, unit: "per second" },
      );
    }
  }
  bare.stop();
  baseline.stop();
  await previous?.stop();
  await reading.stop();
  await keeping.stop();
  await documents.drop();
  await database.drop();
  return figures;
}

/** A gateway and its database. */
type Served = Pick<PreviousVersion, "gateway" | "database">;

/** Processor time of this version and of a previous one per request, with the same load in turns. */
async function comparedCosts(
  current: Served,
  previous: Served,
  load: (port: number) => LoadOptions,
  target: Target | undefined,
): Promise<readonly Figure[]> {
  const costOf =
    ({ gateway, database }: Served) =>
    async () =>
      (await costOfLoad([gateway.pid, ...(await backendsOf(database.url))], load(gateway.port))).cost;
  const costs = await measureInTurns({
    ours: costOf(current),
    baseline: costOf(previous),
    rounds: ROUNDS,
    warmUp: WARM_UP,
  });
  return [
    {
      what: "processor time per request, gateway / previous version",
      samples: costs.ours.map((time, round) => time / costs.baseline[round]!),
      unit: "ratio",
      ...(target && { target }),
    },
    { what: "gateway", samples: costs.ours, unit: "ms" },
    { what: "previous version", samples: costs.baseline, unit: "ms" },
  ];
}

const uncompressed = { headers: { "accept-encoding": "identity" } };

/** Requests for a path that is in the response cache; with `isKnown`, of clients that have the answer already. */
async function cachedLoad(port: number, path: string, isKnown = false): Promise<LoadOptions> {
  let etag: string | null = null;
  // The second answer is stored.
  for (let time = 0; time < 3; time++) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, uncompressed);
    await answer.arrayBuffer();
    etag = answer.headers.get("etag");
  }
  if (!etag) throw new Error(`The answer to ${path} has no ETag`);
  const load = { port, path: () => path, ms: MS };
  return isKnown ? { ...load, headers: `If-None-Match: ${etag}\r\n`, status: 304 } : load;
}

function startBaseline(databaseUrl: string): Promise<ServerProcess> {
  const program = fileURLToPath(new URL("./hand-written-server.js", import.meta.url));
  return ServerProcess.start(program, { DATABASE_URL: databaseUrl });
}

/** @throws Error when the answers differ, or have too few entries */
async function checkSame(path: string, ports: readonly number[]): Promise<void> {
  const answers = await Promise.all(ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()));
  const [first] = answers as [string];
  if (answers.some((answer) => answer !== first)) throw new Error(`The answers to ${path} differ`);
  const { data } = JSON.parse(first) as { data?: unknown[] };
  if (path.includes("pageSize=100") && data?.length !== 100) throw new Error(`The page ${path} is not full`);
}
