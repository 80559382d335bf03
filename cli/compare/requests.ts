import type { Behaviour } from "../../gateway/compatibility/compatibility.js";
import type { Route } from "../../gateway/rest/routes/route.js";
import { routes } from "../../gateway/rest/routes/table.js";
import { at, type Json, type ListForm } from "./json.js";
import { printable } from "./printable.js";

/** The two gateways. */
export type Side = "ours" | "theirs";

/** Differences from catapult-rest that exist in both modes. */
export const ALWAYS = {
  totals: "Pages have `totalEntries` and `totalPages` here; catapult-rest does not count entries",
  networkDescription: "`description` in `/network`: catapult-rest has its own text for each network",
  programForm: "`/node/server` and `/node/storage` describe the program and its database",
  multisigGraphOrder: "The order of the entries of one level in a multisig graph is not specified",
  aggregateMerklePath:
    "The Merkle path of an aggregate with cosignatures by its hash: 200 here; catapult-rest only accepts its Merkle component hash",
  finalizationProofGroups:
    "Nodes may have different votes for the same finalized block: the gateways have different nodes",
  referenceFailures:
    "500 `Internal` of catapult-rest for an unexpected request (an empty list of ids, a malformed one); here an empty list, 400 or 409",
} as const;

/** Id of a documented difference. */
export type DifferenceId = keyof Behaviour | keyof typeof ALWAYS;

/** A request sent to both gateways. */
export interface CompareRequest {
  readonly route: Route;
  /** With its query. A pair if it contains an id that differs between the gateways. */
  readonly path: string | Readonly<Record<Side, string>>;
  /** Body of a POST. */
  readonly body?: unknown;
  /** The documented difference that this request is meant to show, if any. */
  readonly shows?: DifferenceId | undefined;
  /** Whether its arguments match nothing, whatever the chain. */
  readonly isEmpty?: true;
}

/** The path sent to one of the gateways. */
export function pathFor({ path }: CompareRequest, side: Side): string {
  return typeof path === "string" ? path : path[side];
}

/** A request in readable form. */
export function describeRequest(request: CompareRequest): string {
  const body = request.body === undefined ? "" : ` ${JSON.stringify(request.body)}`;
  return printable(`${request.body === undefined ? "GET" : "POST"} ${pathFor(request, "ours")}${body}`);
}

const FINAL =
  /^\/(blocks\/\d|node\/|transactionStatus|transactions\/confirmed(\/|$)|network($|\/(properties|inflation|currency\/supply\/max)))|[?&](toH|h)eight=/;

/** Whether the response depends on the chain's head, so that it may change between two requests. */
export function moves(request: CompareRequest): boolean {
  return !request.isEmpty && !FINAL.test(pathFor(request, "ours"));
}

/** Every operation of the published interface: the routes without those that only this gateway has. */
export const OPERATIONS: readonly Route[] = routes.filter(
  ({ tag, path, mediaType }) =>
    !["Server", "Events"].includes(tag) && path !== "/transaction" && mediaType !== "text/csv",
);

/** The path of a route with these values of its parameters, in their order. */
export function filled({ path }: Route, ...values: readonly (number | string)[]): string {
  return values.reduce<string>((start, value) => start.replace(/\{\w+\}/, () => String(value)), path);
}

/** Why only the form of an operation's responses is compared; undefined if their bodies are. */
export function formReasonOf({ path }: Route): string | undefined {
  if (/^\/node\/(storage|server)$/.test(path)) return "it describes the gateway itself";
  const isOfNode = /^\/node\/(info|peers|time|unlockedaccount)$/.test(path);
  return isOfNode ? "it describes the node behind the gateway" : undefined;
}

/** Why an operation is not compared; undefined if it is. */
export function leftReasonOf({ method, path }: Route): string | undefined {
  if (path === "/node/metadata") return "its content is set by the operator";
  return method === "PUT" ? "announcing changes the chain" : undefined;
}

const TRANSACTION = "meta.hash meta.aggregateHash meta.index";
const SOURCE = "statement.height statement.source.primaryId statement.source.secondaryId";
const RESOLUTION = "statement.height statement.unresolved";
const NAMESPACE = "namespace.level0 namespace.level1 namespace.level2 namespace.startHeight";

/** What identifies an entry of a list, and the height by which lists of the chain are ordered; others have any order. */
const LISTS: Readonly<Record<string, readonly [keys: string, height?: string]>> = {
  "/blocks": ["block.height", "block.height"],
  "/transactions/confirmed": [TRANSACTION, "meta.height"],
  "/transactions/unconfirmed": [TRANSACTION],
  "/transactions/partial": [TRANSACTION],
  "/transactionStatus": ["hash"],
  "/statements/transaction": [SOURCE, "statement.height"],
  "/statements/resolutions/address": [RESOLUTION, "statement.height"],
  "/statements/resolutions/mosaic": [RESOLUTION, "statement.height"],
  "/accounts": ["account.address"],
  "/mosaics": ["mosaic.id"],
  "/namespaces": [NAMESPACE],
  "/namespaces/names": ["id"],
  "/metadata": ["metadataEntry.compositeHash"],
  "/lock/hash": ["lock.hash lock.endHeight"],
  "/lock/secret": ["lock.compositeHash lock.endHeight"],
  "/restrictions/account": ["accountRestrictions.address"],
  "/restrictions/mosaic": ["mosaicRestrictionEntry.compositeHash"],
};

/** How the entries of a response are paired; undefined if it is no list. */
export function listOf(request: CompareRequest): ListForm | undefined {
  const [keys, height] = LISTS[request.route.path.replace("/account/{address}", "")] ?? [];
  if (keys === undefined) return undefined;
  const paths = keys.split(" ").map((path) => path.split("."));
  const keyOf = (entry: Json) => paths.map((names) => at(entry, ...names) ?? "").join(" ");
  const [, mosaicId] = /mosaicId=(\w+)&orderBy=balance/.exec(pathFor(request, "ours")) ?? [];
  if (mosaicId) return { keyOf, order: { by: "balance", rankOf: (entry) => balanceOf(entry, mosaicId) } };
  const rankOf = (entry: Json) => Number(at(entry, ...(height ?? "").split(".")));
  return height === undefined ? { keyOf } : { keyOf, order: { by: "height", rankOf } };
}

function balanceOf(entry: Json, mosaicId: string): number {
  const mosaics = at(entry, "account", "mosaics");
  const found = Array.isArray(mosaics) ? mosaics.find((mosaic) => at(mosaic, "id") === mosaicId) : undefined;
  return Number(at(found, "amount") ?? 0);
}
