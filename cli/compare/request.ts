import type { Json } from "./differences.js";
import type { DifferenceId } from "./documented-differences.js";
import type { OperationId } from "./operations.js";
import { printable } from "./printable.js";

/** The two gateways. */
export type Side = "ours" | "theirs";

/** The ordering of a list: a word for people, and its value for an entry. */
export interface ListOrder {
  readonly by: string;
  readonly rankOf: (entry: Json) => number;
}

/** How entries of a list are compared. */
export interface ListForm {
  /** Identifies an entry in both gateways, in place of its id. */
  readonly keyOf: (entry: Json) => string;
  /** The ordering value, such as height; undefined for lists whose order the gateways may choose. */
  readonly order?: ListOrder;
}

/** A request sent to both gateways. */
export interface CompareRequest {
  readonly operationId: OperationId;
  /** With its query. A pair if it contains an id that differs between the gateways. */
  readonly path: string | Readonly<Record<Side, string>>;
  /** Body of a POST. */
  readonly body?: unknown;
  /** Whether the response depends on the chain's head, so that it may change between two requests. */
  readonly moves?: boolean;
  readonly list?: ListForm;
  /** The documented difference that this request is meant to show, if any. */
  readonly shows?: DifferenceId;
  /**
   * Whether the resource may disappear meanwhile, as pending transactions do: then a 404 of one gateway means
   * nothing.
   */
  readonly mayVanish?: boolean;
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
