import type pg from "pg";
import { encodeAddress } from "../../catapult/entity/address.js";
import { entityNumber } from "../../catapult/json/entity-id.js";
import { Collection, listNumber } from "../../database/lists/collections.js";
import { COPIED_TABLES } from "../../indexer/chain/step/copy-tables.js";
import type { TestDatabase } from "../support/database.js";
import { SeededRandom } from "../support/seeded-random.js";
import { type BackfillRun, runBackfill } from "./backfill-program.js";
import { type Benchmark, type Figure, isReached, median, quantile } from "./benchmark.js";
import { createExecutableRawDatabase, withResources } from "./filled-database.js";
import { GatewayProgram, withoutCache } from "./gateway-program.js";
import { loadHttp } from "./http-load.js";
import { withClient } from "./table-copies.js";

const SIZES = (process.env.BENCH_GROWTH_BLOCKS ?? "10000,100000,1000000").split(",").map(Number);
/** Chains up to this size are filled several times. */
const SMALL = 10_000;
const SMALL_RUNS = 3;
/** Number of different requests of each kind. */
const DRAWN = 500;
const PAGE_SIZE = 20;
const ROUNDS = 9;
const WARM_UP = 1;
const MS = 500;
const MEMORY_MIB = 700;
/** Neither may get more than 20 % worse. */
const LEAST_RATE = { atLeast: 0.8 };
const MOST_TIME = { atMost: 1.2 };

/** The same work on chains of three lengths. */
export const growth: Benchmark = {
  name: "growth",
  title: "Growth: chains of 10,000, 100,000 and 1,000,000 blocks",
  about:
    "`symbol-gateway backfill --source raw` fills generated chains of the same kind (1,000 accounts, 2.5 transactions " +
    "per block on average), timed from process start to exit, indexes included. Then one gateway per chain, with the " +
    "response cache off, gets six kinds of requests over one connection, one at a time, the chains taking turns: " +
    `${DRAWN} different blocks, transactions, accounts or pages each. p50 and p95: 50 % and 95 % of the answers are at ` +
    "least this fast. PostgreSQL has 128 MiB of buffers, so the longest chain is many times larger.",
  run,
  conclude: degradation,
};

/** A chain in a database, behind a gateway. */
interface Served {
  readonly blocks: number;
  readonly database: TestDatabase;
  readonly runs: readonly BackfillRun[];
  readonly rows: number;
  readonly bytes: number;
  readonly gateway: GatewayProgram;
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const served: Served[] = [];
  try {
    for (const blocks of SIZES) served.push(await serve(blocks, say));
    return [...comparedRates(served), ...(await measureRequests(served, say)), ...filled(served)];
  } finally {
    for (const { gateway, database } of served) {
      await gateway.stop();
      await database.drop();
    }
  }
}

async function serve(blocks: number, say: (line: string) => void): Promise<Served> {
  const { database, network } = await createExecutableRawDatabase({ blocks, seed: 1 });
  say(`stored the bytes of ${blocks} blocks`);
  const runs: BackfillRun[] = [];
  await withResources(network, async (settings) => {
    while (runs.length < (blocks <= SMALL ? SMALL_RUNS : 1))
      runs.push(await runBackfill(database.url, ["--source", "raw"], settings));
  });
  say(`filled in ${Math.round(median(runs.map(({ seconds }) => seconds)))} s`);
  return withClient(database.url, async (client) => {
    const paths = await drawPaths(client, blocks);
    const { rows } = await client.query<{ rows: string; bytes: string }>(
      `select sum(reltuples)::int8 as rows, pg_database_size(current_database()) as bytes
       from pg_class where relkind = 'r' and relname = any($1)`,
      [[...COPIED_TABLES]],
    );
    const gateway = await GatewayProgram.start(database.url, {}, withoutCache);
    await check(gateway, blocks, paths);
    return { blocks, database, runs, rows: Number(rows[0]?.rows), bytes: Number(rows[0]?.bytes), gateway, paths };
  });
}

/** Six typical requests, and the paths of each. */
async function drawPaths(client: pg.Client, blocks: number): Promise<Served["paths"]> {
  const random = new SeededRandom(1);
  const heights = Array.from({ length: DRAWN }, () => 1 + random.below(blocks));
  const hashes: string[] = [];
  for (const height of heights) {
    const { rows } = await client.query<{ hash: Buffer }>(
      "select hash from transactions where id >= $1 and type % 2 = 0 order by id limit 1",
      [entityNumber(height)],
    );
    if (rows[0]) hashes.push(rows[0].hash.toString("hex").toUpperCase());
  }
  const accounts = await client.query<{ key: Buffer }>(
    `select k.key from list_counters c join keys k on k.id = c.list - $1::int8
     where c.list >= $1 and c.list < $2 order by c.count desc, k.key limit $3`,
    [listNumber(Collection.transactionsByAddressTop, 0), listNumber(Collection.transactionsByAddressTop + 1, 0), DRAWN],
  );
  const total = await client.query<{ count: string }>("select count from list_counters where list = $1", [
    listNumber(Collection.transactionsTop, 0),
  ]);
  const pages = Math.floor(Number(total.rows[0]?.count) / PAGE_SIZE);
  const list = "/transactions/confirmed";
  return {
    "newest blocks": [`/blocks?pageSize=${PAGE_SIZE}`],
    "a block by height": heights.map((height) => `/blocks/${height}`),
    "an account's newest transactions": accounts.rows.map(
      ({ key }) => `${list}?address=${encodeAddress(key)}&pageSize=${PAGE_SIZE}`,
    ),
    "a transaction by hash": hashes.map((hash) => `${list}/${hash}`),
    "any page of all transactions": heights.map(
      () => `${list}?pageSize=${PAGE_SIZE}&pageNumber=${1 + random.below(pages)}`,
    ),
    "receipts of a block": heights.map((height) => `/statements/transaction?height=${height}`),
  };
}

/** @throws Error when the gateway does not answer with the whole chain, or not with the requested data */
async function check({ port }: GatewayProgram, blocks: number, paths: Served["paths"]): Promise<void> {
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  const { height } = JSON.parse(await get("/chain/info")) as { height: string };
  if (height !== String(blocks)) throw new Error(`The chain has ${height} blocks, not ${blocks}`);
  for (const path of Object.values(paths).flatMap((of) => of.slice(0, 20))) {
    const answer = await get(path);
    const requested = /[0-9A-F]{64}$|(?<=\/blocks\/|height=)\d+$/.exec(path)?.[0];
    const isRight = answer.includes(requested === undefined ? '"data":[{' : `"${requested}"`);
    if (!isRight) throw new Error(`The answer to ${path} is wrong: ${answer.slice(0, 500)}`);
  }
}

interface Times {
  readonly p50: number[];
  readonly p95: number[];
}

async function measureRequests(served: readonly Served[], say: (line: string) => void): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const what of Object.keys(served[0]?.paths ?? {})) {
    const times = served.map((): Times => ({ p50: [], p95: [] }));
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      for (const [index, { gateway, paths }] of served.entries()) {
        const requested = paths[what] as readonly string[];
        const path = (request: number) => requested[request % requested.length] as string;
        const load = await loadHttp({ port: gateway.port, path, connections: 1, ms: MS });
        if (round < 0) continue;
        times[index]?.p50.push(median(load.times));
        times[index]?.p95.push(quantile(load.times, 0.95));
      }
    }
    say(what);
    figures.push(...compareTimes(what, served, times));
  }
  return figures;
}

/** The longest chain compared with the shortest, and the times of each. */
function compareTimes(what: string, served: readonly Served[], times: readonly Times[]): Figure[] {
  const [first, last] = [times[0] as Times, times.at(-1) as Times];
  return (["p50", "p95"] as const).flatMap((part) => [
    {
      what: `${what}, ${part}: ${nameOf(served.at(-1))} / ${nameOf(served[0])}`,
      samples: last[part].map((time, round) => time / (first[part][round] as number)),
      unit: "ratio" as const,
      target: MOST_TIME,
    },
    ...served.map((one, index) => ({
      what: `${what}, ${part}`,
      samples: (times[index] as Times)[part],
      unit: "ms" as const,
      column: nameOf(one),
    })),
  ]);
}

function comparedRates(served: readonly Served[]): Figure[] {
  const last = served.at(-1) as Served;
  return served.slice(0, -1).map((one) => ({
    what: `backfill, blocks per second: ${nameOf(last)} / ${nameOf(one)}`,
    samples: [median(rates(last)) / median(rates(one))],
    unit: "ratio",
    target: LEAST_RATE,
  }));
}

function filled(served: readonly Served[]): Figure[] {
  return served.flatMap((one): Figure[] => {
    const column = nameOf(one);
    const rows = rates(one).map((rate) => (rate * one.rows) / one.blocks);
    const memory = one.runs.map(({ peakMemoryMiB }) => peakMemoryMiB);
    return [
      { what: "backfill, blocks", samples: rates(one), unit: "per second", column },
      { what: "backfill, rows", samples: rows, unit: "per second", column },
      { what: "peak memory of the backfill", samples: memory, unit: "MiB", target: { atMost: MEMORY_MIB }, column },
      { what: "size of the database", samples: [one.bytes / 2 ** 20], unit: "MiB", column },
    ];
  });
}

const rates = ({ blocks, runs }: Served) => runs.map(({ seconds }) => blocks / seconds);

const nameOf = (served: Served | undefined) => `${served?.blocks.toLocaleString("en-US")} blocks`;

function degradation(figures: readonly Figure[]): string {
  const worse = figures.filter((figure) => figure.unit === "ratio" && !isReached(figure));
  if (worse.length === 0) return "Nothing gets more than 20 % worse while the chain grows by a factor of 100.";
  return `More than 20 % worse: ${worse.map(({ what, samples }) => `${what} (${median(samples).toFixed(2)})`).join("; ")}.`;
}
