import { withClient } from "../support/database.js";
import { type Figure, median } from "./benchmark.js";
import { measureInTurns } from "./compare.js";
import { createRawDatabase, fillFromRaw } from "./filled-database.js";
import { GatewayProgram, withoutCache } from "./gateway-program.js";
import { loadHttp } from "./http-load.js";

const MIN_TRANSACTIONS = 3_000;
/** The first ten fund the accounts; of the others, some have at least as many. More than 6,000 with embedded ones are rejected. */
const LARGE = { blocks: 20, transactionsPerBlock: 4_500 };
/** As many transactions, 2.5 per block on average. */
const SMALL = { blocks: 10_000 };
const PATHS = 1_000;
const MS = 500;
const ROUNDS = 15;
const WARM_UP = 5;

/** Response time of a transaction by its hash, in a block of 3,000 beside one in a small block, without response cache. */
export async function lookUpsInLargeBlocks(say: (line: string) => void): Promise<readonly Figure[]> {
  const large = await serve(LARGE, MIN_TRANSACTIONS);
  say(`blocks of at least ${MIN_TRANSACTIONS} transactions stored`);
  const small = await serve(SMALL, 1);
  say("small blocks stored");
  const time =
    ({ gateway, hashes }: Served) =>
    async () => {
      const path = (n: number) => `/transactions/confirmed/${hashes[n % hashes.length]}`;
      return median((await loadHttp({ port: gateway.port, path, connections: 1, ms: MS })).times);
    };
  const times = await measureInTurns({ ours: time(large), baseline: time(small), rounds: ROUNDS, warmUp: WARM_UP });
  for (const { gateway, drop } of [large, small]) {
    await gateway.stop();
    await drop();
  }
  return [
    {
      what: "a transaction in a block of 3,000 / in a small one",
      samples: times.ours.map((ours, round) => ours / times.baseline[round]!),
      unit: "ratio",
      target: { atMost: 2 },
    },
    { what: "in a large block", samples: times.ours, unit: "ms" },
    { what: "in a small block", samples: times.baseline, unit: "ms" },
  ];
}

interface Served {
  readonly gateway: GatewayProgram;
  readonly hashes: readonly string[];
  readonly drop: () => Promise<void>;
}

/** A chain behind a gateway, and transactions of blocks with at least a number of them, which the answers show. */
async function serve(
  options: { readonly blocks: number; readonly transactionsPerBlock?: number },
  min: number,
): Promise<Served> {
  const { database, network } = await createRawDatabase({ seed: 1, ...options });
  await fillFromRaw(database.url, network);
  const { rows } = await withClient(database.url, (client) =>
    client.query<{ hash: string }>(
      `select upper(encode(t.hash, 'hex')) as hash from transactions t
       join blocks b on b.height = t.id >> 32
       where t.type & 1 = 0 and b.transactions_count >= $1 order by t.hash limit $2`,
      [min, PATHS],
    ),
  );
  const hashes = rows.map(({ hash }) => hash);
  if (hashes.length < PATHS) throw new Error(`There are no ${PATHS} transactions in blocks of ${min}`);
  const gateway = await GatewayProgram.start(database.url, {}, withoutCache);
  for (const hash of hashes.slice(0, 20)) {
    const url = `http://127.0.0.1:${gateway.port}/transactions/confirmed/${hash}`;
    const { meta } = (await (await fetch(url)).json()) as { meta?: { hash: string } };
    if (meta?.hash !== hash) throw new Error(`The answer to ${url} is wrong`);
  }
  return { gateway, hashes, drop: () => database.drop() };
}
