import { once } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { TestDatabase } from "../support/database.js";
import { runBackfill } from "./backfill-program.js";
import type { BareAnswer } from "./bare-http-server.js";
import type { Benchmark, Figure } from "./benchmark.js";
import { lookUpsInLargeBlocks } from "./block-size.js";
import { busiestAccounts } from "./busiest-accounts.js";
import { measureInTurns, ratiosOfRates } from "./compare.js";
import { createRawDatabase, fillFromRaw, withResources } from "./filled-database.js";
import { GatewayProgram, withoutCache } from "./gateway-program.js";
import { type LoadOptions, loadHttp } from "./http-load.js";
import { deepPages } from "./page-depth.js";
import { type PageKind, pageKinds } from "./page-kinds.js";
import { createPreviousDatabase, PREVIOUS } from "./previous-version.js";
import { backendsOf, costOfLoad } from "./processor-time.js";
import { ServerProcess } from "./server-process.js";
import { copyWithDocuments } from "./stored-documents.js";

const BLOCKS = 20_000;
/** Few enough for each to have hundreds of transactions. */
const ACCOUNTS = 400;
const MS = 300;
const ROUNDS = 7;
/** Rounds until the compiler has done its work on all of them. */
const WARM_UP = 8;
const CHECKED = 20;
/** A program that serves the reference gateway, and sends `{ port }` to its parent. */
const { BENCH_REFERENCE } = process.env;

/** Pages and look-ups of REST. */
export const pages: Benchmark = {
  name: "pages",
  title: "Pages and look-ups of REST",
  about:
    "Requests per second over 16 connections, each of another client (one has 4 requests in work at a time); a third " +
    "process generates the load, and all share the processors with PostgreSQL. The baseline is a set of hand-written " +
    "handlers with express and pg, one prepared statement each, that send documents which are stored for them in a " +
    "database of their own, and do nothing else: no other filters, limits, ETags or error handling. The gateway's response " +
    'cache is off; "a different one each time" cycles through 1,000 pages or entries. The cached rows show a gateway with ' +
    "default settings: compared with the same handlers, also for a client that has the answer already (`If-None-Match`), " +
    "and with a bare `node:http` server that sends the same headers and body from memory. With `BENCH_BEFORE=FOLDER`, the " +
    "compiled version in that folder gets the same requests, with a database of its own, and the processor time of gateway " +
    "and PostgreSQL per request is compared (Linux only). With `BENCH_REFERENCE`, pages of blocks are compared with " +
    "catapult-rest whose database costs nothing: its function for blocks returns the same 100 documents each time.\n\n" +
    "Then response times, one request at a time: page 10,000 beside page 1 among a million transactions, and a " +
    "transaction in a block of 3,000 beside one in a small block.",
  run: async (say) => [...(await comparedPages(say)), ...(await deepPages(say)), ...(await lookUpsInLargeBlocks(say))],
};

async function comparedPages(say: (line: string) => void): Promise<readonly Figure[]> {
  const { database, network } = await createRawDatabase({
    blocks: BLOCKS,
    seed: 1,
    accounts: ACCOUNTS,
    owners: ACCOUNTS,
  });
  const { transactions } = await fillFromRaw(database.url, network);
  const kinds = await pageKinds(database.url, await busiestAccounts(database.url));
  say(`${BLOCKS} blocks with ${transactions} transactions stored`);
  const documents = await copyWithDocuments(database.url);
  const reading = await GatewayProgram.start(database.url, {}, withoutCache);
  const keeping = await GatewayProgram.start(database.url);
  const handWritten = await ServerProcess.start(fileURLToPath(new URL("./hand-written-server.js", import.meta.url)), {
    DATABASE_URL: documents.url,
  });
  const previous = PREVIOUS
    ? await withResources(network, (settings) => startPrevious(PREVIOUS as string, database.url, settings))
    : undefined;
  const figures: Figure[] = [];
  for (const kind of kinds) {
    const others = [...(kind.isOurs ? [] : [handWritten]), ...(previous ? [previous.gateway] : [])];
    const ports = [reading, keeping, ...others].map(({ port }) => port);
    for (const path of kind.paths.slice(0, CHECKED)) await checkSame(path, ports);
    say(kind.what);
    if (!kind.isOurs) figures.push(...(await comparedRates(kind, "hand-written", reading.port, handWritten.port)));
    if (previous) figures.push(...(await comparedCosts({ gateway: reading, database }, previous, kind)));
  }
  if (BENCH_REFERENCE) {
    const reference = await ServerProcess.start(BENCH_REFERENCE);
    for (const kind of kinds.slice(0, 2)) {
      for (const [rows, atLeast] of [
        [100, 10],
        [10, 4],
      ] as const) {
        const paths = kind.paths.map((path) => path.replace("pageSize=100", `pageSize=${rows}`));
        const sized = { what: `${kind.what}, ${rows} blocks`, paths, atLeast };
        figures.push(...(await comparedRates(sized, "catapult-rest", reading.port, reference.port)));
      }
    }
    reference.stop();
  }
  const hash = kinds.flatMap(({ paths }) => paths).find((one) => one.startsWith("/transactions/confirmed/"))!;
  figures.push(...(await comparedCached(keeping.port, handWritten.port, hash)));
  handWritten.stop();
  await previous?.gateway.stop();
  await previous?.database.drop();
  await reading.stop();
  await keeping.stop();
  await documents.drop();
  await database.drop();
  return figures;
}

/** A gateway and its database. */
interface Served {
  readonly gateway: GatewayProgram;
  readonly database: TestDatabase;
}

async function startPrevious(
  program: string,
  url: string,
  settings: Readonly<Record<string, string>>,
): Promise<Served> {
  const database = await createPreviousDatabase(program, url);
  await runBackfill(database.url, ["--source", "raw"], settings, program);
  const withoutItsCache = { program: path.resolve(program, "../../test/support/gateway-without-cache.js") };
  return { database, gateway: await GatewayProgram.start(database.url, {}, withoutItsCache) };
}

const loadOf =
  ({ paths }: PageKind) =>
  (port: number): LoadOptions => ({ port, path: (n) => paths[n % paths.length] as string, ms: MS });

function compare(ours: LoadOptions, theirs: LoadOptions) {
  return measureInTurns({
    ours: async () => (await loadHttp(ours)).rate,
    baseline: async () => (await loadHttp(theirs)).rate,
    rounds: ROUNDS,
    warmUp: WARM_UP,
  });
}

/** Requests per second of this version and of another program. */
async function comparedRates(kind: PageKind, other: string, port: number, otherPort: number): Promise<Figure[]> {
  const { what, atLeast = 0.9 } = kind;
  const load = loadOf(kind);
  const rates = await compare(load(port), load(otherPort));
  const samples = ratiosOfRates(rates);
  return [
    { what: `${what}: gateway / ${other}`, samples, unit: "ratio", target: { atLeast } },
    { what: "gateway", samples: rates.ours, unit: "per second" },
    { what: other, samples: rates.baseline, unit: "per second" },
  ];
}

/** Processor time of this version and of a previous one per request, with the same load in turns. */
async function comparedCosts(current: Served, previous: Served, kind: PageKind): Promise<Figure[]> {
  const costOf =
    ({ gateway, database }: Served) =>
    async () =>
      costOfLoad([gateway.pid, ...(await backendsOf(database.url))], loadOf(kind)(gateway.port));
  const turns = { ours: costOf(current), baseline: costOf(previous), rounds: ROUNDS, warmUp: WARM_UP };
  const costs = await measureInTurns(turns);
  // One path again and again has no goal: what is requested often is kept by default.
  const { paths, atMost = 1.05 } = kind;
  const samples = costs.ours.map((time, round) => time / costs.baseline[round]!);
  const what = `${kind.isOurs ? `${kind.what}: ` : ""}processor time per request, now / before`;
  return [{ what, samples, unit: "ratio", ...(paths.length > 1 && { target: { atMost } }) }];
}

/** What is in the response cache, beside the hand-written handlers and a bare server. */
async function comparedCached(port: number, handWritten: number, transaction: string): Promise<Figure[]> {
  const path = "/blocks?pageSize=100";
  const theirs = { path: () => path, ms: MS, port: handWritten };
  const kept = ratiosOfRates(await compare(await cachedLoad(port, path), theirs));
  const known = ratiosOfRates(await compare(await cachedLoad(port, path, true), theirs));
  const figures: Figure[] = [
    { what: `\`${path}\` from the response cache: gateway / hand-written`, samples: kept, unit: "ratio" },
    { what: "the same, unchanged for the client (304): gateway / hand-written", samples: known, unit: "ratio" },
  ];
  const bare = await ServerProcess.start(fileURLToPath(new URL("./bare-http-server.js", import.meta.url)));
  for (const cached of ["/blocks?pageSize=10", path, transaction]) {
    const ours = await cachedLoad(port, cached);
    await copyAnswer(await fetch(`http://127.0.0.1:${port}${cached}`, uncompressed), bare);
    const name = cached === transaction ? "/transactions/confirmed/{hash}" : cached;
    const samples = ratiosOfRates(await compare(ours, { ...ours, port: bare.port }));
    const what = `\`${name}\` from the response cache: gateway / bare \`node:http\``;
    figures.push({ what, samples, unit: "ratio", target: { atLeast: 0.7 } });
  }
  bare.stop();
  return figures;
}

/** Lets a bare server send the same headers and body from now on. */
async function copyAnswer(answer: Response, { process }: ServerProcess): Promise<void> {
  const headers = Object.fromEntries(answer.headers);
  // Node adds these itself.
  for (const name of ["connection", "date", "keep-alive"]) delete headers[name];
  const body = Buffer.from(await answer.arrayBuffer()).toString("base64");
  process.send({ headers, body } satisfies BareAnswer);
  await once(process, "message");
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

/** @throws Error when the answers differ, or have too few entries */
async function checkSame(path: string, ports: readonly number[]): Promise<void> {
  const answers = await Promise.all(ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()));
  const [first] = answers as [string];
  if (answers.some((answer) => answer !== first)) throw new Error(`The answers to ${path} differ`);
  const { data } = JSON.parse(first) as { data?: unknown[] };
  if (path.includes("pageSize=100") && data?.length !== 100) throw new Error(`The page ${path} is not full`);
}
