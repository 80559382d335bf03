import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { encodeEntityId, entityIdOf } from "../../catapult/json/entity-id.js";
import type { Benchmark, Figure } from "./benchmark.js";
import { measureInTurns, ratiosOfRates } from "./compare.js";
import { createRawDatabase, fillFromRaw } from "./filled-database.js";
import { GatewayProgram } from "./gateway-program.js";
import { type LoadOptions, loadHttp } from "./http-load.js";
import { writeAccounts } from "./made-up-accounts.js";

const BLOCKS = 20_000;
/** So few that each has hundreds of transactions. */
const ACCOUNTS = 400;
const MS = 300;
const ROUNDS = 25;
const WARM_UP = 6;
/** Different paths of one kind. */
const PATHS = 1_000;
const CHECKED = 20;

/** Pages of REST against handlers written by hand. */
export const restPages: Benchmark = {
  name: "rest-pages",
  title: "REST: pages against handlers written by hand",
  about:
    "Requests a second over 16 connections; the load comes from a third process, and all share the processors with " +
    "PostgreSQL. The baseline are handlers written by hand with express and pg, one prepared statement each, which send " +
    "the same stored documents and do nothing else: no other filters, no limits, no tags, no errors. The gateway keeps no " +
    'answers here (`RESPONSE_CACHE_BYTES=0`), and where "another" is asked for each time, the next of 1,000 different ' +
    "pages or entries is. The last rows, which have no goal, are a gateway as it comes: it keeps answers that are asked for " +
    "again, and asks the database each time only whether the chain's head is still the same; then the same where the " +
    "client has the answer already (`If-None-Match`).",
  run,
};

/** What is asked for, one path after the other, and how the row is called. */
interface Kind {
  readonly what: string;
  readonly paths: readonly string[];
}

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const database = await createRawDatabase({ blocks: BLOCKS, seed: 1, isSigned: false, accounts: ACCOUNTS });
  const { transactions } = await fillFromRaw(database.url);
  const addresses = await writeAccounts(database.url);
  const kinds = await kindsOf(database.url, addresses);
  say(`${BLOCKS} blocks with ${transactions} transactions are there`);
  const reading = await GatewayProgram.start(database.url, { RESPONSE_CACHE_BYTES: "0" });
  const keeping = await GatewayProgram.start(database.url);
  const baseline = await startBaseline(database.url);
  const figures: Figure[] = [];
  const compare = (ours: LoadOptions, theirs: LoadOptions) =>
    measureInTurns({
      ours: async () => (await loadHttp(ours)).rate,
      baseline: async () => (await loadHttp(theirs)).rate,
      rounds: ROUNDS,
      warmUp: WARM_UP,
    });
  for (const { what, paths } of kinds) {
    for (const path of paths.slice(0, CHECKED)) await checkSame(path, [reading.port, keeping.port, baseline.port]);
    const load = (port: number): LoadOptions => ({ port, path: (n) => paths[n % paths.length] as string, ms: MS });
    const rates = await compare(load(reading.port), load(baseline.port));
    say(what);
    figures.push(
      { what: `${what} against by hand`, samples: ratiosOfRates(rates), unit: "ratio", target: { atLeast: 0.85 } },
      { what: "its requests", samples: rates.ours, unit: "per second" },
      { what: "by hand", samples: rates.baseline, unit: "per second" },
    );
  }
  const path = "/blocks?pageSize=100";
  const asked = { path: () => path, ms: MS };
  const byHand = { ...asked, port: baseline.port };
  const kept = await compare({ ...asked, port: keeping.port }, byHand);
  const etag = (await fetch(`http://127.0.0.1:${keeping.port}${path}`)).headers.get("etag");
  if (!etag) throw new Error("The answer has no ETag");
  const headers = `If-None-Match: ${etag}\r\n`;
  const known = await compare({ ...asked, port: keeping.port, headers, status: 304 }, byHand);
  figures.push(
    { what: `\`${path}\` with answers kept, against by hand`, samples: ratiosOfRates(kept), unit: "ratio" },
    { what: "the same where the client has it (304)", samples: ratiosOfRates(known), unit: "ratio" },
  );
  baseline.process.kill();
  await reading.stop();
  await keeping.stop();
  await database.drop();
  return figures;
}

/** The kinds of request, with paths that all have an answer. */
async function kindsOf(databaseUrl: string, addresses: readonly Buffer[]): Promise<Kind[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  /** So many entries, evenly from a table of which the first pages' entries are left out. */
  const some = async (column: string, from: string, id = "id"): Promise<string[]> => {
    const { rows } = await client.query<{ text: string }>(
      `select ${column}::text as text from (
         select ${column}, row_number() over (order by ${id}) as n, count(*) over () as total from ${from}) r
       where n > 200 and n % (total / ${PATHS}) = 0 limit ${PATHS}`,
    );
    return rows.map(({ text }) => text);
  };
  const blocks = (await some("height", "blocks", "height")).map((height) => hex(encodeEntityId(Number(height))));
  const transactions = (await some("id", "transactions where type & 1 = 0")).map((id) => hex(entityIdOf(BigInt(id))));
  const hashes = (await some("hash", "transactions where type & 1 = 0")).map((hash) => hash.slice(2).toUpperCase());
  await client.end();
  return [
    { what: "`/blocks?pageSize=100`", paths: ["/blocks?pageSize=100"] },
    { what: "the same, another page", paths: blocks.map((id) => `/blocks?pageSize=100&offset=${id}`) },
    { what: "`/transactions/confirmed?pageSize=100`", paths: ["/transactions/confirmed?pageSize=100"] },
    {
      what: "the same, another page",
      paths: transactions.map((id) => `/transactions/confirmed?pageSize=100&offset=${id}`),
    },
    {
      what: "`/transactions/confirmed?address=…&pageSize=100`, another address",
      paths: addresses
        .slice(0, 100)
        .map((address) => `/transactions/confirmed?address=${encodeAddress(address)}&pageSize=100`),
    },
    {
      what: "`/transactions/confirmed/{hash}`, another one",
      paths: hashes.map((hash) => `/transactions/confirmed/${hash}`),
    },
    {
      what: "`/accounts/{address}`, another one",
      paths: addresses.map((address) => `/accounts/${encodeAddress(address)}`),
    },
  ];
}

async function startBaseline(databaseUrl: string): Promise<{ process: ChildProcess; port: number }> {
  const child = fork(fileURLToPath(new URL("./hand-written-server.js", import.meta.url)), {
    execArgv: [],
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return { process: child, port };
}

/** @throws Error when the answers differ, or have too little in them */
async function checkSame(path: string, ports: readonly number[]): Promise<void> {
  const answers = await Promise.all(ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()));
  const [first] = answers as [string];
  if (answers.some((answer) => answer !== first)) throw new Error(`The answers to ${path} are not the same`);
  const { data } = JSON.parse(first) as { data?: unknown[] };
  if (path.includes("pageSize=100") && data?.length !== 100) throw new Error(`The page ${path} is not full`);
}
