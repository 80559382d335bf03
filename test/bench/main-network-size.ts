import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { writeResources } from "../../devnet/network/resources.js";
import { dropTemplates } from "../support/database.js";
import { executableNetwork } from "../support/executable-chain.js";
import { until } from "../support/until.js";
import { type BackfillRun, runBackfill } from "./backfill-program.js";
import { BenchServer, type CommandRun, runCommand, statusOf } from "./bench-server.js";
import { type Benchmark, median, quantile } from "./benchmark.js";
import { GatewayProgram, withoutCache } from "./gateway-program.js";
import { loadHttp } from "./http-load.js";
import { type Loading, loadState, measureLoading } from "./loading.js";
import { createPreviousDatabase, programIn } from "./previous-version.js";
import { sizesOf, type TableSize } from "./size.js";
import { writeSizingPages } from "./sizing-page.js";
import { StoredChain } from "./stored-chain.js";
import { withClient } from "./table-copies.js";
import { checkRequests, REQUEST_KINDS, typicalRequests } from "./typical-requests.js";

/** Multiples of a portion of the stored chain: about 1, 10, 50 and 100 % of the main network. */
const SIZES = (process.env.BENCH_MAIN_NETWORK_BLOCKS ?? "57600,604800,2995200,5990400").split(",").map(Number);
/** The chain and what was measured stay there: what was interrupted continues. */
const FOLDER = process.env.BENCH_FOLDER ?? path.join(tmpdir(), "symbol-gateway-main-network-size");
/** The folder of a compiled earlier version, whose database is migrated too. */
const { BENCH_BEFORE } = process.env;
const DOCS = new URL("../../../docs/", import.meta.url);
/** 2.7 transactions per block with embedded ones, and 330,000 accounts at 6,000,000 blocks. */
export const MAIN_NETWORK_CHAIN = { seed: 1, transactionsPerBlock: 4, blocksPerAccount: 18 };
const ACCOUNTS = [330_000, 1_000_000];
/** Requests of each kind. */
const REQUESTS = 100;
const FILLING_BUFFERS = "4GB";
const BUFFERS = ["128MB", "4GB"] as const;

/** Times of a kind of request, in ms. */
export interface RequestTimes {
  readonly what: string;
  readonly buffers: (typeof BUFFERS)[number];
  readonly isCold: boolean;
  readonly p50: number;
  readonly p99: number;
}

/** A backfill, and the memory of PostgreSQL's processes beside `shared_buffers`. */
export type Fill = BackfillRun & { readonly postgresMemoryMiB: number };

/** What a chain of one length costs. */
export interface MeasuredSize {
  readonly blocks: number;
  /** With embedded ones. */
  readonly transactions: number;
  readonly accounts: number;
  readonly executed: Fill;
  readonly tables: readonly TableSize[];
  /** Of all of it. */
  readonly check: CommandRun | undefined;
  readonly sampledCheck: CommandRun;
  readonly loading: Loading;
  /** Peak of a gateway's process. */
  readonly gatewayMemoryMiB: number;
  readonly requests: readonly RequestTimes[];
  /** Load average beside the requests. */
  readonly load: number;
}

/** What was measured so far. */
export interface Measured {
  /** States with the number of accounts of the main network, and with three times that. */
  readonly loading: Loading[];
  readonly sizes: MeasuredSize[];
  migration?: Migration;
}

/** `migrate` on a database that an earlier version has filled. */
export type Migration = CommandRun & { readonly blocks: number };

/** A chain of the main network's size. */
export const mainNetworkSize: Benchmark = {
  name: "main-network-size",
  title: "A chain of the main network's size",
  about: "Writes docs/sizing.md and docs/evidence/sizing.md, and takes hours: it runs only if it is named.",
  takesHours: true,
  async run(say) {
    mkdirSync(FOLDER, { recursive: true });
    const chain = new StoredChain(path.join(FOLDER, "chain"), MAIN_NETWORK_CHAIN);
    const file = path.join(FOLDER, "measured.json");
    const measured: Measured = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { loading: [], sizes: [] };
    const save = () => {
      writeFileSync(file, JSON.stringify(measured, undefined, 1));
      writeSizingPages(DOCS, measured);
    };
    for (const blocks of SIZES) {
      if (measured.sizes.some((one) => one.blocks === blocks)) continue;
      await chain.grow(blocks, say);
      measured.sizes.push(await onServer((server) => measure(server, chain, blocks, say)));
      save();
    }
    for (const accounts of ACCOUNTS) {
      if (measured.loading.some((one) => one.accounts === accounts)) continue;
      measured.loading.push(await onServer(() => measureLoading(accounts, say)));
      save();
    }
    if (BENCH_BEFORE !== undefined && !measured.migration) {
      measured.migration = await onServer(() => migratePrevious(BENCH_BEFORE, chain, SIZES[0]!));
      save();
    }
    return [];
  },
};

/** Runs `work` on a server of its own, where databases are created. */
async function onServer<T>(work: (server: BenchServer) => Promise<T>): Promise<T> {
  const server = await BenchServer.start(path.join(FOLDER, "postgres"), FILLING_BUFFERS);
  try {
    process.env.TEST_POSTGRES_URL = server.url;
    // An interrupted run may have left one of another version.
    await dropTemplates();
    return await work(server);
  } finally {
    await server.stop();
  }
}

async function measure(
  server: BenchServer,
  chain: StoredChain,
  blocks: number,
  say: (line: string) => void,
): Promise<MeasuredSize> {
  const database = await chain.createDatabase(blocks);
  const { url } = database;
  try {
    say(`${blocks} blocks: bytes are stored`);
    const fill = async (settings: Readonly<Record<string, string>>): Promise<Fill> => {
      const args = ["--source", "raw"];
      const { result, peakMemoryMiB } = await server.memoryDuring(() => runBackfill(url, args, settings));
      say(`filled in ${Math.round(result.seconds)} s`);
      return { ...result, postgresMemoryMiB: peakMemoryMiB };
    };
    const rules = { CATAPULT_RESOURCES: path.join(FOLDER, "resources") };
    await writeResources(rules.CATAPULT_RESOURCES, executableNetwork(MAIN_NETWORK_CHAIN).network, {
      port: 7900,
      host: "",
      friendlyName: "",
    });
    const executed = await fill(rules);
    const sampledCheck = await runCommand(url, ["check", "--offline", "--sample", "1000"], rules);
    // Longer chains are checked by a sample alone: all of it takes longer than filling.
    const check = blocks > SIZES[0]! ? undefined : await runCommand(url, ["check", "--offline"], rules);
    say("checked");
    const tables = await sizesOf(url);
    const loading = await loadState(url);
    const totals = await withClient(url, async (client) => {
      const { rows } = await client.query<{ transactions: number; accounts: number }>(
        "select (select count(*)::int4 from transactions) as transactions, (select count(*)::int4 from accounts) as accounts",
      );
      return rows[0]!;
    });
    if (loading.accounts !== totals.accounts)
      throw new Error(`Loaded ${loading.accounts} of ${totals.accounts} accounts`);
    const requests = await measureRequests(server, url, say);
    return {
      blocks,
      ...totals,
      executed,
      tables,
      check,
      sampledCheck,
      loading,
      ...requests,
      load: loadavg()[0] ?? 0,
    };
  } finally {
    await database.drop();
  }
}

async function migratePrevious(folder: string, chain: StoredChain, blocks: number): Promise<Migration> {
  const bytes = await chain.createDatabase(blocks);
  const database = await createPreviousDatabase(folder, bytes.url);
  try {
    await bytes.drop();
    await runBackfill(database.url, ["--source", "raw"], {}, programIn(folder));
    return { blocks, ...(await runCommand(database.url, ["migrate"])) };
  } finally {
    await database.drop();
  }
}

/** Each kind with cold caches, then with warm ones. Other requests before have compiled the gateway's code. */
async function measureRequests(server: BenchServer, url: string, say: (line: string) => void) {
  const [others, paths] = [await typicalRequests(url, REQUESTS, 1), await typicalRequests(url, REQUESTS, 2)];
  const requests: RequestTimes[] = [];
  let gatewayMemoryMiB = 0;
  for (const buffers of BUFFERS) {
    const gateway = await GatewayProgram.start(url, {}, withoutCache);
    const { port } = gateway;
    try {
      await checkRequests(port, others);
      await server.restartCold(buffers, url);
      const answers = async () => (await fetch(`http://127.0.0.1:${port}/chain/info`)).ok;
      await until(answers, "the gateway's connections", 60_000);
      for (const isCold of [true, false]) {
        // What is warm was requested twice before.
        if (!isCold)
          await loadHttp({ port, path: (request) => paths[request]!, connections: 1, requests: paths.length });
        const { times } = await loadHttp({
          port,
          path: (request) => paths[request]!,
          connections: 1,
          requests: paths.length,
        });
        for (const [kind, what] of REQUEST_KINDS.entries()) {
          const own = times.filter((_, request) => request % REQUEST_KINDS.length === kind);
          requests.push({ what, buffers, isCold, p50: median(own), p99: quantile(own, 0.99) });
        }
      }
      gatewayMemoryMiB = Math.max(gatewayMemoryMiB, statusOf(gateway.pid, "VmHWM"));
      say(`requests with ${buffers} of buffers`);
    } finally {
      await gateway.stop();
    }
  }
  return { requests, gatewayMemoryMiB };
}
