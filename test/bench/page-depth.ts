import { encodeAddress } from "../../catapult/entity/address.js";
import { Collection, listNumber } from "../../database/lists/collections.js";
import { withClient } from "../support/database.js";
import { type Figure, median } from "./benchmark.js";
import { measureInTurns } from "./compare.js";
import { createRawDatabase, fillFromRaw } from "./filled-database.js";
import { GatewayProgram, withoutCache } from "./gateway-program.js";
import { loadHttp } from "./http-load.js";

/** A million transactions, with 20 per block on average. */
const BLOCKS = 50_000;
/** So few accounts that one of them has more than 100,000 of the transactions. */
const CHAIN = { blocks: BLOCKS, seed: 1, transactionsPerBlock: 40, accounts: 10 };
const DEEP_PAGE = 10_000;
const PAGE_SIZE = 10;
const MS = 1_000;
const ROUNDS = 9;
const TRANSFER = 16724;

/** Response time of page 10,000 beside that of page 1: ten entries, addressed by `pageNumber` alone, without response cache. */
export async function deepPages(say: (line: string) => void): Promise<readonly Figure[]> {
  const { database, network } = await createRawDatabase(CHAIN);
  const { transactions } = await fillFromRaw(database.url, network, 2);
  const busiest = await busiestAddress(database.url);
  say(`${transactions} transactions stored, ${busiest.count} of one account`);
  const gateway = await GatewayProgram.start(database.url, {}, withoutCache);
  const figures: Figure[] = [];
  const address = `address=${encodeAddress(busiest.address)}`;
  for (const [what, query, order] of [
    ["one account", address, "desc"],
    ["the same, oldest first", address, "asc"],
    ["the same of one type from a height on", `${address}&type=${TRANSFER}&fromHeight=${BLOCKS / 10}`, "desc"],
    ["all", "embedded=true", "desc"],
  ] as const) {
    const path = (page: number) =>
      `/transactions/confirmed?${query}&order=${order}&pageSize=${PAGE_SIZE}&pageNumber=${page}`;
    await check(gateway.port, path, order);
    const time = (page: number) => async () =>
      median((await loadHttp({ port: gateway.port, path: () => path(page), connections: 1, ms: MS })).times);
    const times = await measureInTurns({ ours: time(DEEP_PAGE), baseline: time(1), rounds: ROUNDS, warmUp: 2 });
    const ratios = times.ours.map((deep, round) => deep / (times.baseline[round] as number));
    say(what);
    figures.push(
      { what: `${what}: page 10,000 / page 1`, samples: ratios, unit: "ratio", target: { atMost: 1.5 } },
      { what: "page 10,000", samples: times.ours, unit: "ms" },
      { what: "page 1", samples: times.baseline, unit: "ms" },
    );
  }
  await gateway.stop();
  await database.drop();
  return figures;
}

async function busiestAddress(url: string): Promise<{ address: Buffer; count: number }> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ address: Buffer; count: string }>(
      `select k.key as address, c.count from list_counters c join keys k on k.id = c.list - $1::int8
       where c.list >= $1 and c.list < $2 order by c.count desc limit 1`,
      [listNumber(Collection.transactionsByAddressTop, 0), listNumber(Collection.transactionsByAddressTop + 1, 0)],
    ),
  );
  const [busiest] = rows;
  if (!busiest || Number(busiest.count) < 10 * DEEP_PAGE) throw new Error("No account has enough transactions");
  return { address: busiest.address, count: Number(busiest.count) };
}

/**
 * Reads the deep page by cursor too: the tenth page after the last entry of the page ten before it.
 * @throws Error unless both have the same ten entries
 */
async function check(port: number, path: (page: number) => string, order: "asc" | "desc"): Promise<void> {
  const read = async (page: string): Promise<string[]> => {
    const { data } = (await (await fetch(`http://127.0.0.1:${port}${page}`)).json()) as { data: { id: string }[] };
    return data.map(({ id }) => id);
  };
  const before = await read(path(DEEP_PAGE - 10));
  const [ids, again] = [await read(path(DEEP_PAGE)), await read(`${path(10)}&offset=${before.at(-1)}`)];
  const isSorted = ids.every(
    (id, place) => place === 0 || (order === "asc" ? id > ids[place - 1]! : id < ids[place - 1]!),
  );
  if (ids.length !== PAGE_SIZE || !isSorted || ids.join() !== again.join()) {
    throw new Error(`${path(DEEP_PAGE)} is the wrong page`);
  }
}
