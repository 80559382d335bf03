import {
  bodyDifferences,
  type Difference,
  formDifferences,
  type Json,
  memberOf,
  pairedDifferences,
} from "./differences.js";
import type { DifferenceId } from "./documented-differences.js";
import type { Answer } from "./gateway-client.js";
import { knownDifferenceOf } from "./known-differences.js";
import { listDifferences } from "./list-differences.js";
import { formReasonOf } from "./operations.js";
import type { CompareRequest } from "./request.js";

/** A difference, with the documented one that explains it, if any. */
export interface JudgedDifference extends Difference {
  readonly known: DifferenceId | undefined;
}

const LOWEST_ERROR = 400;

/** All differences between both gateways' responses to one request. */
export function compareAnswers(request: CompareRequest, ours: Answer, theirs: Answer): readonly JudgedDifference[] {
  return differencesOf(request, ours, theirs).map((difference) => ({
    ...difference,
    known: knownDifferenceOf(request, [ours, theirs], difference),
  }));
}

function differencesOf(request: CompareRequest, ours: Answer, theirs: Answer): Difference[] {
  if (ours.status !== theirs.status) return [{ path: "", ours: summaryOf(ours), theirs: summaryOf(theirs) }];
  const found: Difference[] = [];
  if (ours.mediaType !== theirs.mediaType) {
    found.push({ path: "Content-Type", ours: ours.mediaType, theirs: theirs.mediaType });
  }
  const [left, right] = [ours.body as Json, theirs.body as Json];
  if (ours.status >= LOWEST_ERROR) found.push(...bodyDifferences(left, right));
  else if (formReasonOf(request.operationId) !== undefined) found.push(...formDifferences(left, right));
  else if (!request.list) found.push(...bodyDifferences(left, right));
  else if (request.body === undefined) found.push(...listDifferences(left, right, request.list));
  else found.push(...pairedDifferences(entriesOf(left), entriesOf(right), "", request.list.keyOf));
  return found;
}

/** Results of a look-up by several keys: gateways may return them in any order. */
function entriesOf(body: Json): readonly Json[] {
  return Array.isArray(body) ? body : [body];
}

/** Status, and code and message of an error. */
function summaryOf({ status, body }: Answer): Json {
  const [code, message] = [memberOf(body as Json, "code"), memberOf(body as Json, "message")];
  return { status, ...(code !== undefined && { code }), ...(message !== undefined && { message }) };
}
