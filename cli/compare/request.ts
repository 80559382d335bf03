import type { Json } from "./differences.js";
import type { DifferenceId } from "./documented-differences.js";
import type { OperationId } from "./operations.js";

/** The two gateways. */
export type Side = "ours" | "theirs";

/** What a list is ordered by: a word for people, and its value of an entry. */
export interface ListOrder {
  readonly by: string;
  readonly rankOf: (entry: Json) => number;
}

/** How entries of a list are compared. */
export interface ListForm {
  /** What stands for an entry in both gateways, beside its id. */
  readonly keyOf: (entry: Json) => string;
  /** By what the list is ordered, such as height; undefined for lists whose order the gateways may choose. */
  readonly order?: ListOrder;
}

/** A request that both gateways get. */
export interface CompareRequest {
  readonly operationId: OperationId;
  /** With its query. A pair where an id of each gateway's own is in it. */
  readonly path: string | Readonly<Record<Side, string>>;
  /** Body of a POST. */
  readonly body?: unknown;
  /** Whether the answer depends on the chain's head, so that it may change between two requests. */
  readonly moves?: boolean;
  readonly list?: ListForm;
  /** The documented difference that this request is meant to show, if there is one. */
  readonly shows?: DifferenceId;
  /** Whether the thing may go away meanwhile, as pending transactions do: then a 404 of one gateway says nothing. */
  readonly mayVanish?: boolean;
}

/** The path that one of the gateways gets. */
export function pathFor({ path }: CompareRequest, side: Side): string {
  return typeof path === "string" ? path : path[side];
}

/** A request as people read it. */
export function describeRequest(request: CompareRequest): string {
  const body = request.body === undefined ? "" : ` ${JSON.stringify(request.body)}`;
  return `${request.body === undefined ? "GET" : "POST"} ${pathFor(request, "ours")}${body}`;
}
