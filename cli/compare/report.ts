import type { JudgedDifference } from "./answers-compared.js";
import type { Verdict } from "./comparison.js";
import type { Json } from "./differences.js";
import { type DifferenceId, describeKnownDifference } from "./documented-differences.js";
import { formReasonOf, leftReasonOf, OPERATION_IDS, type OperationId, routeOf } from "./operations.js";
import { printable } from "./printable.js";
import { type CompareRequest, describeRequest } from "./request.js";

type Outcome = "equal" | "documented" | "different" | "unsettled" | "unanswered";

/** Requests with the same result, and the first of them. */
interface Group {
  requests: number;
  readonly examples: string[];
}

const EXAMPLES = 3;
/** Maximum number of positions shown per response. */
const PLACES = 5;
const LONGEST_VALUE = 160;

/** Counts compared requests by route, and keeps the first examples. Its memory does not grow with the requests. */
export class Report {
  readonly #counts = new Map<OperationId, Record<Outcome, number>>();
  /** By operation and by what differs in its responses. */
  readonly #different = new Map<string, Group>();
  readonly #open = new Map<string, Group>();
  readonly #documented = new Map<DifferenceId, Group>();
  /** Operations to which both gateways responded with something other than an error. */
  readonly #found = new Set<OperationId>();
  /** Requests so far. */
  requests = 0;

  add(request: CompareRequest, verdict: Verdict): void {
    this.requests += 1;
    const outcome = outcomeOf(verdict);
    const counts = this.#counts.get(request.operationId) ?? emptyCounts();
    counts[outcome] += 1;
    this.#counts.set(request.operationId, counts);
    const route = routeOf(request.operationId);
    if (verdict.kind === "unanswered") {
      count(this.#open, `${route}: ${verdict.side} did not respond`, `${describeRequest(request)}: ${verdict.reason}`);
      return;
    }
    const { differences } = verdict;
    if (verdict.kind === "compared" && verdict.isFound) this.#found.add(request.operationId);
    for (const id of new Set(differences.map(({ known }) => known))) {
      if (id) count(this.#documented, id, describeRequest(request));
    }
    const undocumented = differences.filter(({ known }) => known === undefined);
    if (undocumented.length === 0) return;
    const example = [`  ${describeRequest(request)}`, ...describePlaces(undocumented)].join("\n");
    const groups = outcome === "different" ? this.#different : this.#open;
    count(groups, `${route}: ${patternOf(undocumented[0]!)}`, example);
  }

  /** Requests with this outcome. */
  total(outcome: Outcome): number {
    return [...this.#counts.values()].reduce((sum, counts) => sum + counts[outcome], 0);
  }

  /** Whether everything was compared and only documented differences were found. */
  get isGood(): boolean {
    return this.total("different") + this.total("unsettled") + this.total("unanswered") === 0;
  }

  /** The whole report for the terminal. */
  text(): string {
    return [
      ...this.#table(),
      ...section("Documented differences:", this.#documented, describeKnownDifference),
      ...section("Not settled, or without a response:", this.#open, (title) => title),
      ...section("Differences:", this.#different, (title) => title),
      "",
      ...this.#coverage(),
      "",
      this.#result(),
    ].join("\n");
  }

  #table(): string[] {
    const shown = OPERATION_IDS.filter((id) => this.#counts.has(id));
    const width = Math.max(...shown.map((id) => routeOf(id).length), 5);
    const columns = ["equal", "documented", "different", "open"] as const;
    const line = (title: string, values: readonly (string | number)[]) =>
      `${title.padEnd(width)}${values.map((value, place) => String(value).padStart(columns[place]!.length + 2)).join("")}`;
    return [
      line("route", columns),
      ...shown.map((id) => {
        const { equal, documented, different, unsettled, unanswered } = this.#counts.get(id)!;
        return line(routeOf(id), [equal, documented, different, unsettled + unanswered]);
      }),
    ];
  }

  #coverage(): string[] {
    const left = OPERATION_IDS.filter((id) => leftReasonOf(id) !== undefined);
    const byForm = OPERATION_IDS.filter((id) => formReasonOf(id) !== undefined && this.#found.has(id));
    const missed = OPERATION_IDS.filter((id) => leftReasonOf(id) === undefined && !this.#found.has(id));
    const compared = OPERATION_IDS.length - left.length - byForm.length - missed.length;
    return [
      `Of ${OPERATION_IDS.length} operations, ${compared} were compared, ${byForm.length} by their form only, ${left.length + missed.length} not:`,
      ...byForm.map((id) => `  ${routeOf(id)}: by its form, ${formReasonOf(id)}`),
      ...left.map((id) => `  ${routeOf(id)}: not, ${leftReasonOf(id)}`),
      ...missed.map((id) => `  ${routeOf(id)}: not compared, both returned only errors`),
    ];
  }

  #result(): string {
    const [equal, documented, different] = [this.total("equal"), this.total("documented"), this.total("different")];
    const open = this.total("unsettled") + this.total("unanswered");
    return (
      `${this.requests} requests: ${equal} equal, ${documented} with documented differences only, ` +
      `${different} different${open > 0 ? `, ${open} open` : ""}.`
    );
  }
}

function emptyCounts(): Record<Outcome, number> {
  return { equal: 0, documented: 0, different: 0, unsettled: 0, unanswered: 0 };
}

function outcomeOf(verdict: Verdict): Outcome {
  if (verdict.kind !== "compared") return verdict.kind;
  // Almost every list has these: they would hide which lists differ otherwise.
  const differences = verdict.differences.filter(({ known }) => known !== "totals");
  if (differences.length === 0) return "equal";
  return differences.every(({ known }) => known !== undefined) ? "documented" : "different";
}

function count<Key>(groups: Map<Key, Group>, key: Key, example: string): void {
  const group = groups.get(key) ?? { requests: 0, examples: [] };
  group.requests += 1;
  if (group.examples.length < EXAMPLES) group.examples.push(example);
  groups.set(key, group);
}

function section<Key>(title: string, groups: ReadonlyMap<Key, Group>, describe: (key: Key) => string): string[] {
  if (groups.size === 0) return [];
  const lines = [...groups].flatMap(([key, { requests, examples }]) => [
    `  ${describe(key)} (${requests} ${requests === 1 ? "request" : "requests"})`,
    ...examples.map((example) => `    ${example.trimStart().replaceAll("\n", "\n    ")}`),
  ]);
  return ["", title, ...lines];
}

function describePlaces(differences: readonly JudgedDifference[]): string[] {
  const lines = differences
    .slice(0, PLACES)
    .flatMap(({ path, ours, theirs }) => [
      `  ${path === "" ? "the response" : printable(path)}`,
      `    ours   ${describeValue(ours)}`,
      `    theirs ${describeValue(theirs)}`,
    ]);
  const more = differences.length - PLACES;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}

function describeValue(value: Json | undefined): string {
  if (value === undefined) return "absent";
  const text = printable(JSON.stringify(value));
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

/** What differs, without the keys and positions of entries. */
function patternOf({ path }: JudgedDifference): string {
  return path === "" ? "status" : printable(path.replaceAll(/\[[^\]]*\]/g, "[]"));
}
