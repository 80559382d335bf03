import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { encodeAddress } from "../../catapult/entity/address.js";
import { withClient } from "../support/database.js";
import type { Benchmark, Figure } from "./benchmark.js";
import { busiestAccounts } from "./busiest-accounts.js";
import { measureInTurns } from "./compare.js";
import { createRawDatabase, fillFromRaw } from "./filled-database.js";
import { GatewayProgram } from "./gateway-program.js";
import type { LoadOptions } from "./http-load.js";
import { backendsOf, costOfLoad } from "./processor-time.js";
import { ServerProcess } from "./server-process.js";

const BLOCKS = Number(process.env.BENCH_GRAPHQL_BLOCKS ?? 8_000);
const ACCOUNTS = 400;
const MS = 400;
const ROUNDS = 9;
const WARM_UP = 6;
const TOKEN = "graphql-benchmark-token-0123456789abcdef";
const FOLDER = fileURLToPath(new URL("../../../test/bench/postgraphile/", import.meta.url));

/** A question in the terms of both schemas. */
interface Question {
  readonly what: string;
  readonly ours: string;
  readonly theirs: string;
  readonly atMost: number;
}

const BLOCK = "height hash timestamp type signerPublicKey totalFee transactionsCount feeMultiplier";
const TRANSACTION = "hash height type signerPublicKey recipientAddress maxFee deadline size";
const EMBEDDED = "aggregateHash height type signerPublicKey recipientAddress version network index";
const ALIASES = ["a", "b", "c", "d"];
const PENDING = "hash type signerPublicKey recipientAddress maxFee deadline size version";

function questionsFor(address: string): readonly Question[] {
  return [
    {
      what: "100 blocks with 8 fields",
      ours: `{ blocks(first: 100) { data { ${BLOCK} } } }`,
      theirs: `{ allBlocks(first: 100, orderBy: [HEIGHT_DESC]) { nodes { ${BLOCK} } } }`,
      atMost: 1,
    },
    {
      what: "100 transactions with 8 fields",
      ours: `{ transactions(first: 100) { data { ${TRANSACTION} } } }`,
      theirs: `{ allTransactions(first: 100, orderBy: [ROW_ID_DESC]) { nodes { ${TRANSACTION} } } }`,
      atMost: 1,
    },
    {
      what: "20 blocks with their transactions",
      ours: "{ blocks(first: 20) { data { height hash transactions(first: 100) { data { hash type signerPublicKey maxFee } } } } }",
      theirs:
        "{ allBlocks(first: 20, orderBy: [HEIGHT_DESC]) { nodes { height hash transactionsByHeight(first: 100, orderBy: [ROW_ID_DESC]) { nodes { hash type signerPublicKey maxFee } } } } }",
      atMost: 1.1,
    },
    {
      what: "100 transactions and embedded ones with 8 fields",
      ours: `{ transactions(first: 100, embedded: true) { data { ${EMBEDDED} } } }`,
      theirs: `{ allEmbeddeds(first: 100, orderBy: [ROW_ID_DESC]) { nodes { ${EMBEDDED} } } }`,
      atMost: 1,
    },
    {
      what: "100 pending transactions with 8 fields",
      ours: `{ pendingTransactions(group: unconfirmed, first: 100) { data { ${PENDING} } } }`,
      theirs: `{ allPendings(first: 100, orderBy: [ROW_ID_DESC]) { nodes { ${PENDING} } } }`,
      atMost: 1,
    },
    {
      what: "four aliases of 25 blocks",
      ours: `{ ${ALIASES.map((name, i) => `${name}: blocks(first: ${25 + i}) { data { ${BLOCK} } }`).join(" ")} }`,
      theirs: `{ ${ALIASES.map((name, i) => `${name}: allBlocks(first: ${25 + i}, orderBy: [HEIGHT_DESC]) { nodes { ${BLOCK} } }`).join(" ")} }`,
      atMost: 1,
    },
    {
      what: "an account with its mosaics",
      ours: `{ account(address: "${address}") { address publicKey importance mosaics { mosaicId amount } } }`,
      theirs: `{ accountByAddress(address: "${address}") { address publicKey importance accountMosaicsByAddress { nodes { mosaicId amount } } } }`,
      atMost: 1,
    },
  ];
}

/** GraphQL compared with PostGraphile over plain tables. */
export const graphql: Benchmark = {
  name: "graphql",
  title: "GraphQL: typed fields compared with PostGraphile",
  about:
    "Processor time per request of the gateway and of PostgreSQL, divided by that of PostGraphile 5 over plain tables " +
    "that have the requested columns as texts and numbers, with indexes for the order; four connections, in turns, Linux only. " +
    "It runs if the packages of PostGraphile are installed: `npm ci --ignore-scripts --prefix test/bench/postgraphile`.",
  run,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  if (!existsSync(`${FOLDER}node_modules`)) {
    say("skipped: npm ci --ignore-scripts --prefix test/bench/postgraphile");
    return [];
  }
  const { database, network } = await createRawDatabase({ blocks: BLOCKS, seed: 1, accounts: ACCOUNTS });
  const { transactions } = await fillFromRaw(database.url, network);
  const [account] = await busiestAccounts(database.url);
  const address = encodeAddress(account!);
  const gateway = await GatewayProgram.start(database.url, { GRAPHQL_TOKEN: TOKEN });
  await writePendingTransactions(database.url);
  await writePlainTables(database.url, gateway.port, address);
  say(`${BLOCKS} blocks with ${transactions} transactions stored`);
  const baseline = await ServerProcess.start(`${FOLDER}server.mjs`, {
    DATABASE_URL: database.url,
    NODE_ENV: "production",
  });
  const figures: Figure[] = [];
  try {
    for (const { what, ours, theirs, atMost } of questionsFor(address)) {
      const pathOf = (document: string) => `/graphql?query=${encodeURIComponent(document)}`;
      const load = (port: number, document: string): LoadOptions => ({
        port,
        path: () => pathOf(document),
        connections: 4,
        ms: MS,
        headers: `Authorization: Bearer ${TOKEN}\r\nAccept: application/json\r\n`,
      });
      for (const [port, document] of [[gateway.port, ours] as const, [baseline.port, theirs] as const]) {
        if (rowsIn(await ask(port, pathOf(document))) === 0) throw new Error(`${document} found nothing`);
      }
      const cost = (pid: number, options: LoadOptions) => async () =>
        costOfLoad([pid, ...(await backendsOf(database.url))], options);
      const costs = await measureInTurns({
        ours: cost(gateway.pid, load(gateway.port, ours)),
        baseline: cost(baseline.process.pid as number, load(baseline.port, theirs)),
        rounds: ROUNDS,
        warmUp: WARM_UP,
      });
      say(what);
      figures.push(
        {
          what: `${what}: processor time, gateway / PostGraphile`,
          samples: costs.ours.map((time, round) => time / costs.baseline[round]!),
          unit: "ratio",
          target: { atMost },
        },
        { what: "gateway and PostgreSQL, per request", samples: costs.ours, unit: "ms" },
        { what: "PostGraphile and PostgreSQL, per request", samples: costs.baseline, unit: "ms" },
      );
    }
  } finally {
    baseline.stop();
    await gateway.stop();
    await database.drop();
  }
  return figures;
}

/** The number of entries in the first member of an answer; 1 for an account that was found. */
function rowsIn(data: Readonly<Record<string, unknown>>): number {
  const [first] = Object.values(data) as { data?: unknown[]; nodes?: unknown[]; publicKey?: string }[];
  return (first?.data ?? first?.nodes)?.length ?? (first?.publicKey === undefined ? 0 : 1);
}

/** The data of an answer. @throws Error when it has errors */
async function ask(port: number, path: string): Promise<Record<string, never>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${TOKEN}`, accept: "application/json" },
  });
  const text = await response.text();
  const { data, errors } = JSON.parse(text) as { data?: Record<string, never>; errors?: unknown };
  if (errors || !data) throw new Error(`${path}: ${text.slice(0, 500)}`);
  return data;
}

/** Pending transactions: copies of the newest confirmed ones. */
async function writePendingTransactions(url: string): Promise<void> {
  await withClient(url, (client) =>
    client.query(
      `insert into pending_transactions (id, "group", embedded, hash, type, signer_public_key, deadline, addresses,
         payload, position, size, embedded_size, added_at)
       select decode('00', 'hex') || int4send((t.id >> 32)::int4) || int4send(((t.id >> 12) & 1048575)::int4)
           || decode('000000', 'hex'),
         'unconfirmed', false, t.hash, t.type >> 1, k.key, t.deadline, '{}',
         substring(r.block from t.position + 1 for t.size), 0, t.size, t.embedded_size, now()
       from transactions t join raw_blocks r on r.height = t.id >> 32 join keys k on k.id = t.signer >> 1
       where t.type & 1 = 0 order by t.id desc limit 100`,
    ),
  );
}

const PLAIN = [
  "create schema plain",
  `create table plain.blocks (height int8 primary key, hash text, timestamp int8, type int, signer_public_key text,
    total_fee numeric, transactions_count int, fee_multiplier int8)`,
  `create table plain.transactions (id text primary key, hash text, height int8 references plain.blocks, type int,
    signer_public_key text, recipient_address text, max_fee numeric, deadline int8, size int)`,
  "create index on plain.transactions (height, id)",
  `create table plain.embeddeds (id text primary key, aggregate_hash text, height int8, type int, signer_public_key text,
    recipient_address text, version int, network int, index int)`,
  `create table plain.pendings (id text primary key, hash text, type int, signer_public_key text, recipient_address text,
    max_fee numeric, deadline int8, size int, version int)`,
  "create table plain.accounts (address text primary key, public_key text, importance numeric)",
  `create table plain.account_mosaics (address text references plain.accounts, mosaic_id text, amount numeric,
    primary key (address, mosaic_id))`,
];

/** Tables of what the questions ask for, which a user of PostGraphile alone would create. */
async function writePlainTables(url: string, port: number, address: string): Promise<void> {
  await withClient(url, async (client) => {
    for (const statement of PLAIN) await client.query(statement);
    const copy = async (table: string, rows: readonly unknown[]) => {
      const named = JSON.stringify(rows);
      await client.query(
        `insert into plain.${table} select * from jsonb_populate_recordset(null::plain.${table}, $1)`,
        [
          named.replace(
            /"([a-z]+[A-Z]\w*)":/g,
            (_, name: string) => `"${name.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`)}":`,
          ),
        ],
      );
    };
    for (const [table, list, fields] of [
      ["blocks", "blocks(", BLOCK],
      ["transactions", "transactions(", `id ${TRANSACTION}`],
      ["embeddeds", "transactions(embedded: true, ", `id ${EMBEDDED}`],
      ["pendings", "pendingTransactions(group: unconfirmed, ", `id ${PENDING}`],
    ] as const) {
      let after = "";
      for (;;) {
        const document = `{ page: ${list}first: 100, order: asc${after}) { data { ${fields} } pageInfo { endCursor hasNextPage } } }`;
        const { page } = (await ask(port, `/graphql?query=${encodeURIComponent(document)}`)) as unknown as {
          page: {
            data: unknown[];
            pageInfo: { endCursor: string; hasNextPage: boolean };
          };
        };
        await copy(table, page.data);
        if (!page.pageInfo.hasNextPage) break;
        after = `, after: "${page.pageInfo.endCursor}"`;
      }
    }
    const document = `{ account(address: "${address}") { address publicKey importance mosaics { mosaicId amount } } }`;
    const { account } = (await ask(port, `/graphql?query=${encodeURIComponent(document)}`)) as unknown as {
      account: { mosaics: { mosaicId: string; amount: string }[] };
    };
    await copy("accounts", [account]);
    await copy(
      "account_mosaics",
      account.mosaics.map((one) => ({ address, ...one })),
    );
    await client.query("vacuum analyze");
  });
}
