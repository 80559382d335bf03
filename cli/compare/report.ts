import type { Route } from "../../gateway/rest/route/route.js";
import type { Verdict } from "./comparison.js";
import type { Json } from "./json.js";
import { describeKnownDifference, type JudgedDifference } from "./judge.js";
import { printable } from "./printable.js";
import { type CompareRequest, describeRequest, formReasonOf, leftReasonOf, OPERATIONS } from "./requests.js";

const OUTCOMES = ["equal", "documented", "different", "open"] as const;
type Outcome = (typeof OUTCOMES)[number];
const SECTIONS = ["Documented differences:", "Not settled, or without a response:", "Differences:"] as const;
const [DOCUMENTED, OPEN, DIFFERENT] = SECTIONS;

const EXAMPLES = 3;
/** Maximum number of positions shown per response. */
const PLACES = 5;
const LONGEST_VALUE = 160;

const routeOf = ({ method, path }: Route) => `${method} ${path}`;

/** Counts compared requests by route, and keeps the first examples. Its memory does not grow with the requests. */
export class Report {
  readonly #counts = new Map<Route, Record<Outcome, number>>();
  /** By section and title: the number of requests, and the first of them. */
  readonly #groups = new Map<string, { requests: number; readonly examples: string[] }>();
  /** Operations to which both gateways responded with something other than an error. */
  readonly #found = new Set<Route>();
  /** Requests so far. */
  requests = 0;

  add(request: CompareRequest, { kind, differences, isFound, failure }: Verdict): void {
    this.requests += 1;
    const { route } = request;
    const undocumented = differences.filter(({ known }) => known === undefined);
    // Almost every list differs in its totals: that would hide which lists differ otherwise.
    const isEqual = differences.every(({ known }) => known === "totals");
    const compared = isEqual ? "equal" : undocumented.length > 0 ? "different" : "documented";
    const outcome = kind === "compared" ? compared : "open";
    const counts = this.#counts.get(route) ?? { equal: 0, documented: 0, different: 0, open: 0 };
    counts[outcome] += 1;
    this.#counts.set(route, counts);
    if (kind === "compared" && isFound) this.#found.add(route);
    const shown = describeRequest(request);
    for (const id of new Set(differences.map(({ known }) => known)))
      if (id) this.#count(DOCUMENTED, describeKnownDifference(id), shown);
    if (failure) this.#count(OPEN, `${routeOf(route)}: ${failure.side} did not respond`, `${shown}: ${failure.reason}`);
    const [first] = undocumented;
    if (!first) return;
    // What differs, without the keys and positions of entries.
    const pattern = first.path === "" ? "status" : printable(first.path.replaceAll(/\[[^\]]*\]/g, "[]"));
    const example = [shown, ...describePlaces(undocumented)].join("\n    ");
    this.#count(outcome === "open" ? OPEN : DIFFERENT, `${routeOf(route)}: ${pattern}`, example);
  }

  /** Requests with this outcome. */
  total(outcome: Outcome): number {
    return [...this.#counts.values()].reduce((sum, counts) => sum + counts[outcome], 0);
  }

  /** Whether everything was compared and only documented differences were found. */
  get isGood(): boolean {
    return this.total("different") + this.total("open") === 0;
  }

  /** The whole report for the terminal. */
  text(): string {
    const shown = OPERATIONS.filter((route) => this.#counts.has(route));
    const width = Math.max(...shown.map((route) => routeOf(route).length), 5);
    const line = (title: string, values: readonly (string | number)[]) =>
      title.padEnd(width) + values.map((value, place) => String(value).padStart(OUTCOMES[place]!.length + 2)).join("");
    const [equal, documented, different, open] = OUTCOMES.map((outcome) => this.total(outcome));
    return [
      line("route", OUTCOMES),
      ...shown.map((route) => line(routeOf(route), Object.values(this.#counts.get(route)!))),
      ...SECTIONS.flatMap((section) => this.#section(section)),
      "",
      ...this.#coverage(),
      "",
      `${this.requests} requests: ${equal} equal, ${documented} with documented differences only, ` +
        `${different} different${open ? `, ${open} open` : ""}.`,
    ].join("\n");
  }

  #count(section: string, title: string, example: string): void {
    const name = `${section}\n  ${title}`;
    const { requests, examples } = this.#groups.get(name) ?? { requests: 0, examples: [] };
    if (requests < EXAMPLES) examples.push(`    ${example}`);
    this.#groups.set(name, { requests: requests + 1, examples });
  }

  #section(section: string): string[] {
    const groups = [...this.#groups].filter(([name]) => name.startsWith(section));
    const lines = groups.flatMap(([name, { requests, examples }]) => [
      `${name.slice(section.length + 1)} (${requests} ${requests === 1 ? "request" : "requests"})`,
      ...examples,
    ]);
    return lines.length === 0 ? [] : ["", section, ...lines];
  }

  #coverage(): string[] {
    const left = OPERATIONS.filter(leftReasonOf);
    const missed = OPERATIONS.filter((route) => !leftReasonOf(route) && !this.#found.has(route));
    const byForm = OPERATIONS.filter((route) => formReasonOf(route) && this.#found.has(route));
    const not = left.length + missed.length;
    const compared = OPERATIONS.length - not - byForm.length;
    return [
      `Of ${OPERATIONS.length} operations, ${compared} were compared, ${byForm.length} by their form only, ${not} not:`,
      ...byForm.map((route) => `  ${routeOf(route)}: by its form, ${formReasonOf(route)}`),
      ...left.map((route) => `  ${routeOf(route)}: not, ${leftReasonOf(route)}`),
      ...missed.map((route) => `  ${routeOf(route)}: not compared, both returned only errors`),
    ];
  }
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
