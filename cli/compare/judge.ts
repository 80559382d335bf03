import { DIFFERENCES } from "../../gateway/compatibility/compatibility.js";
import type { Answer } from "./client.js";
import { at, bodyDifferences, type Difference, formDifferences, isOneSided, type Json } from "./json.js";
import { ALWAYS, type CompareRequest, type DifferenceId, formReasonOf, pathFor } from "./requests.js";

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
  ignoresUnknownParameters: [[409], [200]],
  takesUncheckedAddresses: [[400], [200, 404]],
  aggregateMerklePath: [[200], [409]],
};
/** Differences in which entries a page contains, and the positions at which they show. */
const OF_MEMBERSHIP: readonly unknown[] = ["defaultOrder", "defaultPageSize", "findsWrittenMosaicsOnly"];
const MEMBERSHIP = /^(data\.length|pagination\..*|data\[\d+\]\.height)$/;
const ENTRY = /^data\[[^\]]*\]$/;
const [LOWEST_ERROR, INTERNAL_ERROR] = [400, 500];

/** All differences between both gateways' responses to one request. */
export function compareAnswers(request: CompareRequest, ours: Answer, theirs: Answer): readonly JudgedDifference[] {
  if (ours.status !== theirs.status) {
    const known = explainStatuses(request, ours, theirs);
    return [{ path: "", ours: summaryOf(ours), theirs: summaryOf(theirs), known }];
  }
  const types = { path: "Content-Type", ours: ours.mediaType, theirs: theirs.mediaType };
  const isError = ours.status >= LOWEST_ERROR;
  const found = isError ? bodyDifferences(ours.body, theirs.body) : contentDifferences(request, ours.body, theirs.body);
  return [...(ours.mediaType === theirs.mediaType ? [] : [types]), ...found].map((difference) => ({
    ...difference,
    known: isError ? explainMessage(difference) : explainContent(request, difference),
  }));
}

/** A documented difference in one sentence. */
export function describeKnownDifference(id: DifferenceId): string {
  if (id in ALWAYS) return `${ALWAYS[id as keyof typeof ALWAYS].meaning}.`;
  const { subject, spec, catapultRest } = DIFFERENCES.find((difference) => difference.id === id)!;
  return `${subject}: ${spec} (specification); ${catapultRest} (catapult-rest).`;
}

function contentDifferences(request: CompareRequest, ours: Json, theirs: Json): Difference[] {
  if (formReasonOf(request.route)) return formDifferences(ours, theirs);
  const [, mosaicId] = /mosaicId=(\w+)&orderBy=balance/.exec(pathFor(request, "ours")) ?? [];
  return bodyDifferences(ours, theirs, mosaicId);
}

/** Status, and code and message of an error. */
function summaryOf({ status, body }: Answer): Json {
  const [code, message] = [at(body, "code"), at(body, "message")];
  return { status, ...(code !== undefined && { code }), ...(message !== undefined && { message }) };
}

function explainStatuses({ shows }: CompareRequest, ours: Answer, theirs: Answer): DifferenceId | undefined {
  const [spec = [], reference = []] = (shows && STATUSES[shows]) ?? [];
  const pairs = [[ours, theirs] as const, [theirs, ours] as const];
  if (pairs.some(([one, other]) => spec.includes(one.status) && reference.includes(other.status))) return shows;
  const isFailure = ({ status, body }: Answer) => status === INTERNAL_ERROR && at(body, "code") === "Internal";
  return pairs.some(([one, other]) => isFailure(one) && other.status < INTERNAL_ERROR)
    ? "referenceFailures"
    : undefined;
}

/** The text of an error, or the code that catapult-rest's framework uses for missing resources. */
function explainMessage({ path, ours, theirs }: Difference): DifferenceId | undefined {
  const isCode = path === "code" && [ours, theirs].sort().join() === "NotFound,ResourceNotFound";
  return path === "message" || isCode ? "usesReferenceMessages" : undefined;
}

function explainContent({ route, shows }: CompareRequest, difference: Difference): DifferenceId | undefined {
  const { path } = difference;
  const isMembership = MEMBERSHIP.test(path) || (ENTRY.test(path) && isOneSided(difference));
  const always: [string, { readonly meaning: string; readonly places?: readonly RegExp[] }][] = Object.entries(ALWAYS);
  const known = always.find(
    ([id, { places }]) =>
      places?.[0]?.test(route.operationId) && places[1]?.test(path) && (id !== "totals" || isOneSided(difference)),
  );
  if (known) return known[0] as DifferenceId;
  return isMembership && OF_MEMBERSHIP.includes(shows) ? shows : undefined;
}
