import { DIFFERENCES } from "../../gateway/compatibility/compatibility.js";
import type { Answer } from "./client.js";
import {
  at,
  bodyDifferences,
  type Difference,
  formDifferences,
  type Json,
  pageDifferences,
  pairedDifferences,
} from "./json.js";
import { ALWAYS, type CompareRequest, type DifferenceId, formReasonOf, listOf } from "./requests.js";

/** A difference, with the documented one that explains it, if any. */
export interface JudgedDifference extends Difference {
  readonly known: DifferenceId | undefined;
}

/** Status codes of a request that is meant to show a difference: by the specification, and in catapult-rest. */
const STATUSES: Readonly<Partial<Record<DifferenceId, readonly [readonly number[], readonly number[]]>>> = {
  clampsPageSize: [[409], [200]],
  takesPageZero: [[409], [200]],
  takesUnknownOrder: [[409], [200]],
  malformedIsUnacceptable: [[400], [409]],
  findsNothingOutOfRange: [[409], [200, 404]],
  findsNothingBetweenCrossedBounds: [[409], [200]],
  takesUncheckedAddresses: [[400], [200, 404]],
  aggregateMerklePath: [[200], [409]],
};
/** Differences in which entries a page contains. */
const OF_MEMBERSHIP: readonly unknown[] = ["defaultOrder", "defaultPageSize", "findsWrittenMosaicsOnly"];
const INTERNAL_ERROR = 500;
const LOWEST_ERROR = 400;

/** All differences between both gateways' responses to one request. */
export function compareAnswers(request: CompareRequest, ours: Answer, theirs: Answer): readonly JudgedDifference[] {
  return differencesOf(request, ours, theirs).map((difference) => ({
    ...difference,
    known: knownDifferenceOf(request, [ours, theirs], difference),
  }));
}

/** A documented difference in one sentence. */
export function describeKnownDifference(id: DifferenceId): string {
  if (id in ALWAYS) return `${ALWAYS[id as keyof typeof ALWAYS]}.`;
  const { subject, spec, catapultRest } = DIFFERENCES.find((difference) => difference.id === id)!;
  return `${subject}: ${spec} (specification); ${catapultRest} (catapult-rest).`;
}

function differencesOf(request: CompareRequest, ours: Answer, theirs: Answer): Difference[] {
  if (ours.status !== theirs.status) return [{ path: "", ours: summaryOf(ours), theirs: summaryOf(theirs) }];
  const [left, right] = [ours.mediaType, theirs.mediaType];
  const found = left === right ? [] : [{ path: "Content-Type", ours: left, theirs: right }];
  return [...found, ...contentDifferences(request, ours, theirs.body)];
}

function contentDifferences(request: CompareRequest, { status, body: ours }: Answer, theirs: Json): Difference[] {
  if (status >= LOWEST_ERROR) return bodyDifferences(ours, theirs);
  if (formReasonOf(request.route)) return formDifferences(ours, theirs);
  const list = listOf(request);
  if (!list) return bodyDifferences(ours, theirs);
  // Results of a look-up by several keys: gateways may return them in any order.
  if (Array.isArray(ours) && Array.isArray(theirs)) return pairedDifferences(ours, theirs, list.keyOf);
  return pageDifferences(ours, theirs, list);
}

/** Status, and code and message of an error. */
function summaryOf({ status, body }: Answer): Json {
  const [code, message] = [at(body, "code"), at(body, "message")];
  return { status, ...(code !== undefined && { code }), ...(message !== undefined && { message }) };
}

/** The documented difference that explains a difference of two responses; undefined if there is none. */
function knownDifferenceOf(
  { route: { operationId }, shows }: CompareRequest,
  [ours, theirs]: readonly [Answer, Answer],
  difference: Difference,
): DifferenceId | undefined {
  const { path, isOrder } = difference;
  if (ours.status !== theirs.status) {
    if (shows && isExpected(shows, ours.status, theirs.status)) return shows;
    return isReferenceFailure(ours, theirs) || isReferenceFailure(theirs, ours) ? "referenceFailures" : undefined;
  }
  if (ours.status >= LOWEST_ERROR) return isMessage(difference) ? "usesReferenceMessages" : undefined;
  if (/^pagination\.total(Entries|Pages)$/.test(path) && isOneSided(difference)) return "totals";
  if (isOrder && operationId === "getAccountMultisigGraph") return "multisigGraphOrder";
  if (OF_MEMBERSHIP.includes(shows) && isMembership(difference)) return shows;
  if (operationId === "getNetworkType" && path === "description") return "networkDescription";
  if (operationId === "getServerInfo" || operationId === "getNodeStorage") return "programForm";
  const isVote = operationId.startsWith("getFinalizationProof") && path.startsWith("messageGroups");
  return isVote ? "finalizationProofGroups" : undefined;
}

function isExpected(id: DifferenceId, ours: number, theirs: number): boolean {
  const [spec = [], reference = []] = STATUSES[id] ?? [];
  return (spec.includes(ours) && reference.includes(theirs)) || (spec.includes(theirs) && reference.includes(ours));
}

function isReferenceFailure(failed: Answer, other: Answer): boolean {
  const isInternal = failed.status === INTERNAL_ERROR && at(failed.body, "code") === "Internal";
  return isInternal && other.status < INTERNAL_ERROR;
}

/** The text of an error, or the code that catapult-rest's framework uses for missing resources. */
function isMessage({ path, ours, theirs }: Difference): boolean {
  const codes = [ours, theirs].sort().join();
  return path === "message" || (path === "code" && codes === "NotFound,ResourceNotFound");
}

function isMembership(difference: Difference): boolean {
  const { path } = difference;
  if (path === "data.length" || path.startsWith("pagination.") || /^data\[\d+\]\.height$/.test(path)) return true;
  return /^data\[[^\]]*\]$/.test(path) && isOneSided(difference);
}

function isOneSided({ ours, theirs }: Difference): boolean {
  return (ours === undefined) !== (theirs === undefined);
}
