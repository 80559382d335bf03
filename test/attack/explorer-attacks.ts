import { randomBytes } from "node:crypto";
import type { Attack, Target } from "./attack.js";
import { flood, nth } from "./flood.js";
import type { HttpAttempt } from "./hostile.js";

// What strangers may ask of an explorer that is public: its pages' data, and its own documents with arguments of their own
// choice.

function onExplorer(name: string, about: string, next: (n: number, target: Target) => HttpAttempt): Attack {
  return flood(name, about, next, { gateway: { settings: { EXPLORER: "public" } } });
}

/** All that a page shows first. `#` and what follows is no part of its address, and makes the URL another one. */
const page = (address: string, n: number): HttpAttempt => ({
  path: `/explorer/data?${new URLSearchParams({ page: `${address}#${n}` })}`,
});

const document = (name: string, variables: object): HttpAttempt => ({
  path: `/explorer/data/${name}?${new URLSearchParams({ variables: JSON.stringify(variables) })}`,
});

const CURRENCY = "72C0212E67A08BCE";
const DAY_SECONDS = 86_400;
/** As long as a URL has room for. */
const LONG_TEXT = 300;

/** Texts that are hard to search. */
const TEXTS: readonly ((n: number) => string)[] = [
  () => "%".repeat(LONG_TEXT),
  () => "_%".repeat(LONG_TEXT / 2),
  (n) => `${"a.".repeat(LONG_TEXT / 2)}${n}`,
  (n) => String.fromCharCode(97 + (n % 26)),
  () => randomBytes(32).toString("hex"),
  () => "ﷺ".repeat(LONG_TEXT / 9),
  (n) => `${n}'"\\;--`,
  () => `${"A".repeat(38)}Y`,
];

export const explorerAttacks: readonly Attack[] = [
  onExplorer("explorer-pages", "The data of whole pages, each with all that it shows first.", (n, target) => {
    const { accounts, largeHashes, height } = target;
    const pages = [
      `account/${nth(accounts, n)}`,
      `transaction/${nth(largeHashes, n)}`,
      "harvesters",
      `block/${1 + (n % height)}`,
      "network",
      `mosaic/${CURRENCY}`,
      "",
    ];
    return page(nth(pages, n), n);
  }),
  onExplorer(
    "explorer-documents",
    "Its documents with the most costly arguments.",
    (n, { accounts, largeHashes, height }) => {
      const address = nth(accounts, n);
      const documents: readonly (readonly [name: string, variables: object])[] = [
        ["balanceHistory", { address, mosaicId: CURRENCY }],
        ["balanceSeries", { address, mosaicId: CURRENCY, seconds: 1, from: n }],
        ["harvesters", { fromHeight: 1 + (n % height) }],
        ["pastHolders", { id: CURRENCY, height: 1 + (n % height) }],
        ["harvestIncome", { address, shift: n % DAY_SECONDS }],
        ["transaction", { key: nth(largeHashes, n) }],
        ["accountTransactions", { address, type: Array.from({ length: 32 }, (_, m) => 16_000 + n + m) }],
        ["supplyChanges", { key: randomBytes(32).toString("hex"), owner: address }],
      ];
      return document(...nth(documents, n));
    },
  ),
  onExplorer(
    "explorer-lists",
    "Deep pages of its lists, of 100 entries and filtered, as its CSV files read them.",
    (n, target) => {
      const deep = { pageNumber: 1 + ((n * 7) % 90), pageSize: 100 };
      const address = nth(target.accounts, n);
      const lists: readonly (readonly [name: string, variables: object])[] = [
        ["transactions", { page: deep, embedded: true }],
        ["transactions", { page: deep, address, embedded: true, fromTime: "1970-01-01T00:00:00Z" }],
        ["transactions", { page: deep, type: [16_724, 16_705, 16_961], mosaicId: CURRENCY }],
        ["blocks", { page: deep, toTime: "2100-01-01T00:00:00Z" }],
        ["accounts", { page: { ...deep, pageNumber: 1 + (n % 4) }, mosaicId: CURRENCY }],
        ["mosaics", { page: deep }],
        ["namespaces", { page: deep }],
        ["transactions", { page: { ...deep, pageNumber: 1_000_000 + n } }],
      ];
      return document(...nth(lists, n));
    },
  ),
  onExplorer("explorer-search", "Searches and suggestions for texts that are hard to search.", (n) => {
    const text = nth(TEXTS, n)(n);
    if (n % 3 === 0) return page(`search?${new URLSearchParams({ q: text })}`, n);
    return document(n % 3 === 1 ? "suggestions" : "namesWithPrefix", { text });
  }),
];
