import { byKey, type Json, memberOf } from "./differences.js";
import type { Answer } from "./gateway-client.js";
import type { OperationId } from "./operations.js";
import { type CompareRequest, pathFor } from "./request.js";

/** Number of requests for each operation. */
const OF_EACH = 3;

/** Requests that name entries by ids, which differ between gateways: they follow from lists of both. */
export class FollowUps {
  readonly #requests: CompareRequest[] = [];
  readonly #made = new Map<OperationId, number>();

  get all(): readonly CompareRequest[] {
    return this.#requests;
  }

  /** Collects ids from the responses of both gateways to one request. */
  collect(request: CompareRequest, ours: Answer, theirs: Answer): void {
    const { operationId, list } = request;
    const [left, right] = [entriesOf(ours), entriesOf(theirs)];
    if (!list || request.shows || left.length === 0 || right.length === 0) return;
    if (operationId === "searchConfirmedTransactions") {
      const [[key, entry] = []] = byKey(left, list.keyOf);
      const other = key === undefined ? undefined : byKey(right, list.keyOf).get(key);
      const path = idPaths(entry, other, (id) => `/transactions/confirmed/${id}`);
      if (path) this.#add({ operationId: "getConfirmedTransaction", path });
    }
    const [last, otherLast] = [left.at(-1)!, right.at(-1)!];
    if (left.length !== right.length || list.keyOf(last) !== list.keyOf(otherLast)) return;
    const given = pathFor(request, "ours");
    if (!given.includes("order=") || given.includes("offset=") || given.includes("orderBy=")) return;
    const path = idPaths(last, otherLast, (id) => `${given}&offset=${id}`);
    if (path) this.#add({ ...request, path });
  }

  #add(request: CompareRequest): void {
    const made = this.#made.get(request.operationId) ?? 0;
    if (made >= OF_EACH) return;
    this.#made.set(request.operationId, made + 1);
    this.#requests.push(request);
  }
}

function entriesOf({ body }: Answer): readonly Json[] {
  const data = memberOf(body as Json, "data");
  return Array.isArray(data) ? data : [];
}

function idPaths(ours: Json | undefined, theirs: Json | undefined, pathOf: (id: string) => string) {
  const [left, right] = [memberOf(ours, "id"), memberOf(theirs, "id")];
  return typeof left === "string" && typeof right === "string"
    ? { ours: pathOf(left), theirs: pathOf(right) }
    : undefined;
}
