import { plainKey } from "./typed-text.js";

// The variables of a list's document, of the filters in the address of its page.

const DAY_MS = 86_400_000;
/** Rows of a page. */
export const ROWS = 25;

/** Blocks of the list of harvesters: about 30 days on the main network, where one comes every 30 seconds. */
export const HARVESTED_BLOCKS = 86_400;
export const firstHarvested = (height: number): number => Math.max(1, height - HARVESTED_BLOCKS + 1);

/** The variables of a filter's value. */
const VARIABLES: Readonly<Record<string, (value: string) => Record<string, unknown>>> = {
  type: (value) => ({ type: [Number(value)] }),
  account: (value) => ({ address: value }),
  mosaic: (value) => ({ mosaicId: value.toUpperCase() }),
  from: (value) => ({ fromTime: isoOf(value, 0) }),
  // The whole day.
  until: (value) => ({ toTime: isoOf(value, DAY_MS - 1) }),
  embedded: () => ({ embedded: true }),
  group: (value) => ({ group: value === "partial" ? "partial" : "unconfirmed" }),
};

/** A time after a day began; the gateway rejects an invalid one. */
function isoOf(day: string, afterMs: number): string {
  const time = new Date(Date.parse(day) + afterMs);
  return Number.isNaN(time.getTime()) ? day : time.toISOString();
}

/** The filters of each list. */
export const LIST_FILTERS: Readonly<Record<string, readonly string[]>> = {
  blocks: ["from", "until"],
  transactions: ["type", "mosaic", "account", "from", "until", "embedded"],
  pending: ["group"],
  accounts: ["mosaic"],
  mosaics: [],
  namespaces: [],
};

/** The filters that an address has, of those of the list. */
export function filtersOf(kind: string, query: URLSearchParams): Record<string, string> {
  const given = (LIST_FILTERS[kind] ?? []).map((name) => [name, plainKey(name, query.get(name) ?? "")] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ""));
}

type Counted = { readonly pagination: { readonly totalEntries: number } };

/** The group of pending transactions that has some, where an address names none. */
export const groupOf = ({ unconfirmed, partial }: Readonly<Record<"unconfirmed" | "partial", Counted>>): string =>
  unconfirmed.pagination.totalEntries === 0 && partial.pagination.totalEntries > 0 ? "partial" : "unconfirmed";

/** @param currencyId the mosaic by which accounts are ordered if no other is given */
export function variablesOf(
  kind: string,
  filters: Record<string, string>,
  currencyId: string | undefined,
): Record<string, unknown> {
  const given = Object.entries(filters).map(([name, value]) => VARIABLES[name]?.(value));
  return Object.assign(kind === "accounts" ? { mosaicId: currencyId } : {}, ...given);
}

/** The number of the page in an address. */
export const pageNumberOf = (query: URLSearchParams): number =>
  Math.max(1, Number.parseInt(query.get("page") ?? "1", 10) || 1);
