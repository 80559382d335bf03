import { type Difference, type Json, memberOf } from "./differences.js";
import type { DifferenceId } from "./documented-differences.js";
import type { Answer } from "./gateway-client.js";
import type { CompareRequest } from "./request.js";

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
const OF_MEMBERSHIP: ReadonlySet<DifferenceId> = new Set([
  "defaultOrder",
  "defaultPageSize",
  "findsWrittenMosaicsOnly",
]);
const INTERNAL_ERROR = 500;
const LOWEST_ERROR = 400;

/** The documented difference that explains a difference of two responses; undefined if there is none. */
export function knownDifferenceOf(
  { operationId, shows }: CompareRequest,
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
  if (shows && OF_MEMBERSHIP.has(shows) && isMembership(difference)) return shows;
  if (operationId === "getNetworkType" && path === "description") return "networkDescription";
  if (operationId === "getServerInfo" || operationId === "getNodeStorage") return "programForm";
  if (operationId.startsWith("getFinalizationProof") && path.startsWith("messageGroups"))
    return "finalizationProofGroups";
  return undefined;
}

function isExpected(id: DifferenceId, ours: number, theirs: number): boolean {
  const [spec = [], reference = []] = STATUSES[id] ?? [];
  return (spec.includes(ours) && reference.includes(theirs)) || (spec.includes(theirs) && reference.includes(ours));
}

function isReferenceFailure(failed: Answer, other: Answer): boolean {
  const isInternal = failed.status === INTERNAL_ERROR && memberOf(failed.body as Json, "code") === "Internal";
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
