import type { Ask } from "../gateway/rest/persisted-documents.js";
import { type ChainTime, chartDaysOf, chartIntervals, homeVariables, shiftOf, timeOf } from "./days.js";
import { filtersOf, firstHarvested, groupOf, LIST_FILTERS, pageNumberOf, ROWS, variablesOf } from "./list-variables.js";
import { accountVariables, isName, plainKey, plainText } from "./typed-text.js";

// What each page shows first, so that its browser needs one request for it. A page asks what is missing here by itself:
// test/explorer/weight.test.ts notices.

/** What all pages need to know of the chain. */
interface Chain extends ChainTime {
  readonly currencyId: string;
}

type Reader = (ask: Ask, key: string, query: URLSearchParams, chain: Promise<Chain>) => readonly Promise<unknown>[];

const ID_LENGTH = 24;

const READERS: Readonly<Record<string, Reader>> = {
  "": (ask, _key, _query, chain) => [
    Promise.all([ask("home"), chain]).then(([{ blocks }, known]) => {
      const { day, days } = homeVariables(known, blocks.data[0].timestamp);
      return Promise.allSettled([ask("dayOfHome", day), ask("daysOfHome", days)]);
    }),
  ],
  charts: (ask, _key, query, chain) => [
    Promise.all([ask("newestBlock"), chain]).then(([{ blocks }, known]) => {
      const intervals = chartIntervals(known, blocks.data[0].timestamp, chartDaysOf(query));
      const fromTime = new Date(known.epochMs + intervals.from).toISOString();
      const ofDays = ["days", "activeAccounts", "harvestersByDay"].map((name) => ask(name, intervals));
      return Promise.allSettled([...ofDays, ask("shares", { fromTime })]);
    }),
  ],
  block: (ask, key) =>
    ["block", "blockTransactions", "blockStatements"].map((name) => ask(name, { height: Number(key) })),
  transaction: (ask, key) => [ask(key.length === ID_LENGTH ? "transactionOfId" : "transaction", { key })],
  account: (ask, id, _query, chain) => [
    ask("account", accountVariables(id)).then(({ account }) =>
      Promise.allSettled(account ? partsOfAccount(ask, account, chain) : []),
    ),
  ],
  mosaic: (ask, id) => [
    ask("mosaic", { id }).then(({ head: { height } }) =>
      Promise.allSettled([ask("topHoldersAt", { id, height }), ask("timeOfBlock", { height })]),
    ),
    ask("holders", { id }),
    ask("inflation"),
  ],
  namespace: (ask, key) => [
    /^[0-9A-F]{16}$/i.test(key)
      ? ask("namespace", { id: key })
      : ask("search", { text: key }).then(({ search }) => {
          const found = search.find(({ kind }: { kind: string }) => kind === "namespace");
          return ask("namespace", { id: found.key });
        }),
  ],
  search: (ask, _key, query) => {
    const text = plainText(query.get("q") ?? "");
    return [ask(isName(text) ? "suggestions" : "search", { text })];
  },
  harvesters: (ask) => [
    ask("height").then(({ head }) => ask("harvesters", { fromHeight: firstHarvested(head.height) })),
  ],
  node: (ask) => [ask("status"), ask("node")],
  nodes: (ask) => [ask("peers")],
  network: (ask) =>
    ["network", "supply", "finalization", "rents", "inflation", "configuration"].map((name) => ask(name)),
  ...Object.fromEntries(Object.keys(LIST_FILTERS).map((kind) => [kind, listReader(kind)])),
};

function listReader(kind: string): Reader {
  return (ask, _key, query, chain) => {
    const page = { pageNumber: pageNumberOf(query), pageSize: ROWS };
    const filters = filtersOf(kind, query);
    const list = (own: Record<string, string>, id?: string) => ask(kind, { ...variablesOf(kind, own, id), page });
    if (kind === "pending" && filters.group === undefined)
      return [ask("pendingCounts").then((counts) => list({ group: groupOf(counts) }))];
    if (kind !== "accounts") return [list(filters)];
    return [chain.then(({ currencyId }) => list(filters, currencyId))];
  };
}

interface ReadAccount {
  readonly address: string;
  readonly importance: string;
  readonly mosaics: readonly { readonly mosaicId: string }[];
  readonly multisig: unknown;
}

function partsOfAccount(ask: Ask, { address, importance, mosaics, multisig }: ReadAccount, chain: Promise<Chain>) {
  const parts = [ask("accountTransactions", { address, embedded: false })];
  if (mosaics[0]) parts.push(ask("balanceHistory", { address, mosaicId: mosaics[0].mosaicId }));
  if (importance !== "0") {
    parts.push(chain.then(({ epochMs }) => ask("harvestIncome", { address, shift: shiftOf(epochMs) })));
  }
  if (multisig) parts.push(ask("multisigGraph", { address }));
  return parts;
}

/** Asks all that a page shows first; parts that fail are left out. @returns false if there is no such page */
export async function readPage({ pathname, searchParams }: URL, ask: Ask): Promise<boolean> {
  const [kind = "", key = ""] = pathname.slice(1).split("/");
  const reader = Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
  if (!reader) return false;
  const chain = ask("chain").then((known) => ({ ...timeOf(known), currencyId: known.currency.mosaicId }));
  const ofAllPages = Promise.allSettled([chain, ask("networkName")]);
  await Promise.allSettled(reader(ask, plainKey(kind, decodeURIComponent(key)), searchParams, chain));
  await ofAllPages;
  return true;
}
