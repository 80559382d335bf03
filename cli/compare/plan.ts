import { models } from "symbol-sdk/symbol";
import type { Route } from "../../gateway/rest/route/route.js";
import type { Names } from "./names.js";
import { argumentsIn, type CompareRequest, filled, OPERATIONS, operation } from "./requests.js";

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

type Values = readonly (number | string)[];

const MOST_KEYS = 100;
const DEEPEST_PAGE = 20;

/** The kinds of names that an argument takes, by the path of the route and its own name. */
const NAMED: readonly (readonly [argument: RegExp, ...kinds: readonly string[]])[] = [
  [/ accountId$/, "address", "publicKey"],
  [/ (\w*[aA]ddress|addresses)$/, "address"],
  [/ (signerPublicKey|publicKeys)$/, "publicKey"],
  [/ metalId$/, "metalId"],
  [/ (namespaceIds?|level0)$/, "namespaceId"],
  [/ (\w*[mM]osaicIds?|targetId|artifactId)$/, "mosaicId"],
  [/^\/metadata.* compositeHash/, "metadata"],
  [/^\/lock\/secret.* compositeHash/, "secretLock"],
  [/^\/restrictions\/mosaic.* compositeHash/, "mosaicRestriction"],
  [/^\/lock\/hash.* hash/, "hashLock"],
  [/^\/transactions\/(unconfirmed|partial).* transactionId/, "pending"],
  [/^\/(transactions\/confirmed.* transactionId|transactionStatus.* hash)/, "transaction"],
];

/** The first requests: everything that needs no names, and pages of every list, which name what is requested next. */
export function* firstRequests(plan: Plan): Generator<CompareRequest> {
  for (const route of OPERATIONS.filter((one) => one.method === "GET" && argumentsIn(one, "path").length === 0)) {
    if (!isList(route)) yield { route, path: route.path };
    else {
      const deep = `order=asc&pageNumber=${2 + plan.below(DEEPEST_PAGE)}`;
      for (const page of ["order=asc", "order=desc", deep])
        yield { route, path: `${route.path}?pageSize=100&${page}${boundOf(route, plan)}` };
    }
  }
  yield* requestsWith((route, argument) => numbersFor(argument, route, plan), plan);
}

/** Requests for every name: alone, as a filter of every list, and together. */
export function* namedRequests(plan: Plan, names: Names): Generator<CompareRequest> {
  yield* requestsWith((route, argument) => namesFor(route, argument, names), plan);
  const [transactions, receipts] = [operation("getMerkleTransaction"), operation("getMerkleReceipts")];
  for (const name of names.of("statement")) yield { route: receipts, path: filled(receipts, ...name.split(" ")) };
  for (const [height = "", hash = "", leaf = ""] of names.of("transaction").map((name) => name.split(" "))) {
    yield { route: transactions, path: filled(transactions, height, leaf) };
    if (hash === leaf) continue;
    yield { route: transactions, path: filled(transactions, height, hash), shows: "aggregateMerklePath" };
  }
}

/** Requests with values for an argument, for every argument of every route. */
function* requestsWith(valuesOf: (route: Route, argument: string) => Values, plan: Plan): Generator<CompareRequest> {
  for (const route of OPERATIONS) {
    const { method, path } = route;
    const [parameter, ...more] = argumentsIn(route, "path");
    for (const member of method === "POST" ? argumentsIn(route, "body") : []) {
      const keys = valuesOf(route, member).slice(0, MOST_KEYS);
      if (keys.length > 0) yield { route, path, body: { [member]: keys } };
    }
    if (method !== "GET" || more.length > 0) continue;
    for (const value of parameter ? valuesOf(route, parameter) : [])
      yield { route, path: filled(route, value) + (isList(route) ? "?pageSize=100" : "") };
    for (const filter of parameter || isPending(route) || !isList(route) ? [] : argumentsIn(route, "query")) {
      for (const value of valuesOf(route, filter)) yield* filtered(route, filter, value, plan);
    }
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
function numbersFor(name: string, route: Route, { highest, epoch, size, below }: Plan): Values {
  const few = Math.ceil(size / 5);
  if (name === "height") {
    const isMany = route.path.startsWith("/blocks/") || isList(route);
    return numbersUpTo(highest, isMany ? size : few, below);
  }
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
  const [, ...kinds] = NAMED.find(([named]) => named.test(`${path} ${argument}`)) ?? [];
  const found = kinds.flatMap((kind) => names.of(kind));
  return [...new Set(found.map((name) => (kinds[0] === "transaction" ? name.split(" ")[1]! : name)))];
}

const isList = (route: Route) => "pageSize" in route.arguments;
const isPending = ({ path }: Route) => /\/(unconfirmed|partial)$/.test(path);
