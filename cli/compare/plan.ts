import { models } from "symbol-sdk/symbol";
import type { Place } from "../../gateway/rest/routes/argument.js";
import type { Route } from "../../gateway/rest/routes/route.js";
import type { Names } from "./names.js";
import { type CompareRequest, filled, OPERATIONS } from "./requests.js";

/** What is requested: all that depends on heights and numbers first, then what the answers name. */
export interface Plan {
  /** The highest block that both gateways have and know to be final, and their common epoch. */
  readonly highest: number;
  readonly epoch: number;
  /** Number of heights, and of things of each kind. */
  readonly size: number;
  /** An integer from 0 up to, but not including, `limit`. */
  readonly below: (limit: number) => number;
}

const MOST_KEYS = 100;
const DEEPEST_PAGE = 20;

/** The kinds of names that an argument takes, by the path of the route and its own name. */
const NAMED: readonly (readonly [argument: RegExp, kinds: readonly string[]])[] = [
  [/ accountId$/, ["address", "publicKey"]],
  [/ (\w*[aA]ddress|addresses)$/, ["address"]],
  [/ (signerPublicKey|publicKeys)$/, ["publicKey"]],
  [/ metalId$/, ["metalId"]],
  [/ (namespaceIds?|level0)$/, ["namespaceId"]],
  [/ (\w*[mM]osaicIds?|targetId|artifactId)$/, ["mosaicId"]],
  [/^\/metadata.* compositeHash/, ["metadata"]],
  [/^\/lock\/secret.* compositeHash/, ["secretLock"]],
  [/^\/restrictions\/mosaic.* compositeHash/, ["mosaicRestriction"]],
  [/^\/lock\/hash.* hash/, ["hashLock"]],
  [/^\/transactions\/(unconfirmed|partial).* transactionId/, ["pending"]],
  [/^\/(transactions\/confirmed.* transactionId|transactionStatus.* hash)/, ["transaction"]],
];

/** The first requests: everything that needs no names, and pages of every list, which name what is requested next. */
export function* firstRequests(plan: Plan): Generator<CompareRequest> {
  for (const route of OPERATIONS.filter(({ method }) => method === "GET")) {
    const [parameter, ...more] = argumentsIn(route, "path");
    if (parameter === undefined && isList(route)) yield* pages(route, plan);
    else if (parameter === undefined) yield { route, path: route.path };
    else if (more.length === 0) {
      for (const value of numbersFor(parameter, route, plan)) yield { route, path: filled(route, value) };
    }
  }
}

/** Requests for every name: alone, as a filter of every list, and together. */
export function* namedRequests(plan: Plan, names: Names): Generator<CompareRequest> {
  for (const route of OPERATIONS) {
    const [parameter, ...more] = argumentsIn(route, "path");
    for (const member of route.method === "POST" ? argumentsIn(route, "body") : []) {
      const keys = namesFor(route, member, names).slice(0, MOST_KEYS);
      if (keys.length > 0) yield { route, path: route.path, body: { [member]: keys } };
    }
    if (route.method === "GET" && parameter !== undefined && more.length === 0) {
      const page = isList(route) ? "?pageSize=100" : "";
      for (const name of namesFor(route, parameter, names)) yield { route, path: filled(route, name) + page };
    }
    if (isPending(route) || parameter !== undefined || !isList(route)) continue;
    for (const filter of argumentsIn(route, "query")) {
      for (const name of namesFor(route, filter, names)) yield* filtered(route, filter, name, plan);
    }
  }
  const [transactions, receipts] = ["getMerkleTransaction", "getMerkleReceipts"].map(
    (id) => OPERATIONS.find(({ operationId }) => operationId === id)!,
  ) as [Route, Route];
  for (const name of names.of("statement")) yield { route: receipts, path: filled(receipts, ...name.split(" ")) };
  for (const [height = "", hash = "", leaf = ""] of names.of("transaction").map((name) => name.split(" "))) {
    yield { route: transactions, path: filled(transactions, height, leaf) };
    if (hash === leaf) continue;
    yield { route: transactions, path: filled(transactions, height, hash), shows: "aggregateMerklePath" };
  }
}

function* pages(route: Route, plan: Plan): Generator<CompareRequest> {
  const deep = `order=asc&pageNumber=${2 + plan.below(DEEPEST_PAGE)}`;
  const bound = boundOf(route, plan);
  for (const page of ["order=asc", "order=desc", deep])
    yield { route, path: `${route.path}?pageSize=100&${page}${bound}` };
  for (const filter of isPending(route) ? [] : argumentsIn(route, "query")) {
    for (const value of numbersFor(filter, route, plan)) yield* filtered(route, filter, value, plan);
  }
}

function* filtered(route: Route, filter: string, value: number | string, plan: Plan): Generator<CompareRequest> {
  const bound = filter === "height" ? "" : boundOf(route, plan);
  const shows = filter === "transferMosaicId" ? "findsWrittenMosaicsOnly" : undefined;
  const orders = ["pageSize=100&order=desc"];
  if ("embedded" in route.arguments) orders.push("pageSize=25&order=asc&embedded=true");
  if (route.path === "/accounts" && filter === "mosaicId") orders.push("orderBy=balance&pageSize=100&order=desc");
  for (const order of orders) yield { route, path: `${route.path}?${filter}=${value}&${order}${bound}`, shows };
}

/** Lists of the chain are bounded by the highest final block, so that they do not change. */
function boundOf(route: Route, { highest }: Plan): string {
  return "toHeight" in route.arguments && !isPending(route) ? `&toHeight=${highest}` : "";
}

/** Heights, epochs, types, and all numbers of a small enumeration. */
function numbersFor(name: string, route: Route, { highest, epoch, size, below }: Plan): readonly (number | string)[] {
  const few = Math.ceil(size / 5);
  if (name === "height")
    return numbersUpTo(highest, route.path.startsWith("/blocks/") || isList(route) ? size : few, below);
  if (name === "fromHeight") return numbersUpTo(highest, few, below);
  if (name === "epoch") return numbersUpTo(epoch, few, below);
  if (name === "type") return numbersOf(models.TransactionType);
  if (name === "receiptType") return numbersOf(models.ReceiptType);
  const { maximum = Number.POSITIVE_INFINITY } = route.arguments[name]!.type.schema as { readonly maximum?: number };
  return maximum < 10 ? Array.from({ length: maximum + 1 }, (_, number) => number) : [];
}

/** At most `count` different numbers from 1, ascending, with both ends. */
function numbersUpTo(highest: number, count: number, below: Plan["below"]): readonly number[] {
  const chosen = new Set([1, highest].slice(0, count));
  while (chosen.size < Math.min(count, highest)) chosen.add(1 + below(highest));
  return [...chosen].sort((left, right) => left - right);
}

function numbersOf(enumeration: object): readonly number[] {
  const values = Object.values(enumeration) as readonly { readonly value?: unknown }[];
  return values.map(({ value }) => value).filter((value) => typeof value === "number");
}

function namesFor({ path }: Route, argument: string, names: Names): readonly string[] {
  const [, kinds = []] = NAMED.find(([named]) => named.test(`${path} ${argument}`)) ?? [];
  const found = kinds.flatMap((kind) =>
    names.of(kind).map((name) => (kind === "transaction" ? name.split(" ")[1]! : name)),
  );
  return [...new Set(found)];
}

function argumentsIn(route: Route, place: Place): readonly string[] {
  return Object.keys(route.arguments).filter((name) => route.arguments[name]?.place === place);
}

const isList = (route: Route) => "pageSize" in route.arguments;
const isPending = ({ path }: Route) => /\/(unconfirmed|partial)$/.test(path);
