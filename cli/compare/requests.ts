import type { Behaviour } from "../../gateway/compatibility/compatibility.js";
import type { Place } from "../../gateway/rest/route/argument.js";
import type { Route } from "../../gateway/rest/route/route.js";
import { routes } from "../../gateway/rest/routes/table.js";
import { printable } from "./printable.js";

/** The two gateways. */
export type Side = "ours" | "theirs";

/** Differences from catapult-rest that exist in both modes; `places` are operation and position that they explain. */
export const ALWAYS = {
  totals: {
    meaning: "Pages have `totalEntries` and `totalPages` here; catapult-rest does not count entries",
    places: [/^/, /^pagination\.total(Entries|Pages)$/],
  },
  networkDescription: {
    meaning: "`description` in `/network`: catapult-rest has its own text for each network",
    places: [/^getNetworkType$/, /^description$/],
  },
  programForm: {
    meaning: "`/node/server` and `/node/storage` describe the program and its database",
    places: [/^(getServerInfo|getNodeStorage)$/, /^/],
  },
  multisigGraphOrder: {
    meaning: "The order of the entries of one level in a multisig graph is not specified",
    places: [/^getAccountMultisigGraph$/, /multisigEntries\.order$/],
  },
  aggregateMerklePath: {
    meaning:
      "The Merkle path of an aggregate with cosignatures by its hash: 200 here; catapult-rest only accepts its Merkle component hash",
  },
  finalizationProofGroups: {
    meaning: "Nodes may have different votes for the same finalized block: the gateways have different nodes",
    places: [/^getFinalizationProof/, /^messageGroups/],
  },
  referenceFailures: {
    meaning:
      "500 `Internal` of catapult-rest for an unexpected request (an empty list of ids, a malformed one); here an empty list, 400 or 409",
  },
} satisfies Record<string, { meaning: string; places?: [RegExp, RegExp] }>;

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
  const [method, body] = request.body === undefined ? ["GET", ""] : ["POST", ` ${JSON.stringify(request.body)}`];
  return printable(`${method} ${pathFor(request, "ours")}${body}`);
}

const FINAL =
  /^\/(blocks\/\d|node\/|transactionStatus|transactions\/confirmed(\/|$)|network($|\/(properties|inflation|currency\/supply\/max)))|[?&](toH|h)eight=/;

/** Whether the response depends on the chain's head, so that it may change between two requests. */
export function moves(request: CompareRequest): boolean {
  return !request.isEmpty && !FINAL.test(pathFor(request, "ours"));
}

/** Paths that only this gateway has, besides those with other tags and files. */
const OWN: readonly string[] = ["/transaction", "/transactions/simulate"];

/** Every operation of the published interface: the routes without those that only this gateway has. */
export const OPERATIONS: readonly Route[] = routes.filter(
  ({ tag, path, mediaType }) => !["Server", "Events"].includes(tag) && !OWN.includes(path) && mediaType !== "text/csv",
);

/** The operation with this id. */
export function operation(id: string): Route {
  return OPERATIONS.find(({ operationId }) => operationId === id)!;
}

/** Names of a route's arguments at a place, in their order. */
export function argumentsIn(route: Route, place: Place): readonly string[] {
  return Object.keys(route.arguments).filter((name) => route.arguments[name]?.place === place);
}

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
