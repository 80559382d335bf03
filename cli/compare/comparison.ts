import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../process/usage-error.js";
import { type Answer, type GatewayClient, NoAnswerError } from "./client.js";
import { edgeRequests } from "./edges.js";
import { at } from "./json.js";
import { compareAnswers, type JudgedDifference } from "./judge.js";
import { Names } from "./names.js";
import { firstRequests, namedRequests } from "./plan.js";
import { printable } from "./printable.js";
import { type CompareRequest, moves, pathFor, type Side } from "./requests.js";

type Gateways = Readonly<Record<Side, GatewayClient>>;

/** Which gateway did not respond, and why. */
interface Failure {
  readonly side: Side;
  readonly reason: string;
}

/** The result of comparing one request. */
export interface Verdict {
  /** `unsettled`: a difference that arriving blocks may have caused; the gateways were never long enough at the same height. */
  readonly kind: "compared" | "unsettled" | "unanswered";
  readonly differences: readonly JudgedDifference[];
  /** Whether both gateways returned something other than an error. */
  readonly isFound: boolean;
  /** Of a request without a response. */
  readonly failure?: Failure;
}

export interface CompareOptions {
  readonly gateways: Gateways;
  /** Number of blocks, transactions, accounts and other things of each kind to compare. */
  readonly sample: number;
  readonly seed: number;
  /** Called with the highest compared block before the first request. */
  readonly onSpan: (highest: number) => void;
  readonly judged: (request: CompareRequest, verdict: Verdict) => void;
}

/** How long is waited until two gateways agree, and between two attempts, in ms. */
const LONGEST_MS = 30_000;
const PAUSE_MS = 500;
/** Concurrent requests per gateway. */
const AT_ONCE = 4;
/** Number of attempts at an unchanged head after which a difference counts. */
const SETTLED_ATTEMPTS = 3;
const [LOWEST_ERROR, NOT_FOUND] = [400, 404];

/**
 * Sends the same requests to two gateways, first about the chain, then about everything that the responses name, and
 * again where the chain may have changed in between. Memory is bounded by the sample.
 * @throws UnreachableError when a gateway does not respond, UsageError when they serve different networks or nothing
 *   yet
 */
export async function compareGateways({ gateways, sample: size, seed, ...options }: CompareOptions): Promise<void> {
  const { ours, theirs } = gateways;
  const [left, right] = await Promise.all([chainOf(ours), chainOf(theirs)]);
  // Compared is what both have and know to be final; if nothing is final, what both have.
  const finalized = Math.min(left.finalized, right.finalized);
  const highest = finalized > 1 ? finalized : Math.min(left.height, right.height);
  // The first block identifies the network.
  const firsts = await Promise.all([ours, theirs].map((gateway) => gateway.send({ path: "/blocks/1" })));
  const [network, other] = firsts.map(({ body }) => at(body, "meta", "hash"));
  if (network === undefined || network !== other) {
    const networks = printable(`${network} and ${other}`);
    throw new UsageError(`${ours.url} and ${theirs.url} serve different networks: their first blocks are ${networks}.`);
  }
  options.onSpan(highest);
  const plan = { highest, epoch: Math.max(1, Math.min(left.epoch, right.epoch)), size, below: randomBelow(seed) };
  const names = new Names({ size, seed, highest });
  for (const requests of [firstRequests(plan), names.followUps(), namedRequests(plan, names), edgeRequests()]) {
    const work = async () => {
      for (const request of requests) options.judged(request, await judge(gateways, request, names));
    };
    const working = Array.from({ length: AT_ONCE }, work);
    await Promise.all(working).catch(async (error) => {
      requests.return(undefined);
      await Promise.allSettled(working);
      throw error;
    });
  }
}

async function judge(gateways: Gateways, request: CompareRequest, names: Names): Promise<Verdict> {
  const startedAt = performance.now();
  for (let [attempt, settled] = [1, 0]; ; attempt++) {
    const before = attempt > 1 && moves(request) ? await commonHeight(gateways) : undefined;
    const answers = await ask(gateways, request);
    if ("reason" in answers) return { kind: "unanswered", differences: [], isFound: false, failure: answers };
    if (attempt === 1) names.collectAnswers(request, ...answers);
    const statuses = answers.map(({ status }) => status);
    // Pending transactions may disappear meanwhile.
    const isGone = /^\/transactions\/(unconfirmed|partial)/.test(request.route.path) && statuses.includes(NOT_FOUND);
    const differences = isGone ? [] : compareAnswers(request, ...answers);
    const verdict = { kind: "compared", differences, isFound: Math.max(...statuses) < LOWEST_ERROR } as const;
    // A member that one gateway never has is no matter of the head. Any other difference may be, a documented one too.
    if (differences.every(({ known }) => known === "totals")) return verdict;
    if (!moves(request)) {
      if (attempt > 1) return verdict;
      continue;
    }
    if (before !== undefined && (await commonHeight(gateways)) === before) settled += 1;
    if (settled >= SETTLED_ATTEMPTS) return verdict;
    if (performance.now() - startedAt > LONGEST_MS) return { ...verdict, kind: "unsettled" };
    await sleep(PAUSE_MS);
  }
}

/** The responses of both gateways, requested concurrently. */
async function ask(gateways: Gateways, request: CompareRequest): Promise<[Answer, Answer] | Failure> {
  const send = (side: Side): Promise<Answer | Failure> =>
    gateways[side].send({ path: pathFor(request, side), body: request.body }).catch((error: unknown) => {
      if (error instanceof NoAnswerError) return { side, reason: error.message };
      throw error;
    });
  const [ours, theirs] = await Promise.all([send("ours"), send("theirs")]);
  if ("reason" in ours) return ours;
  return "reason" in theirs ? theirs : [ours, theirs];
}

/** The height of both gateways' heads; undefined while they differ. */
async function commonHeight({ ours, theirs }: Gateways): Promise<number | undefined> {
  const heights = await Promise.all([ours, theirs].map(async (gateway) => (await chainOf(gateway)).height)).catch(
    () => [],
  );
  return heights[0] === heights[1] ? heights[0] : undefined;
}

async function chainOf(gateway: GatewayClient) {
  const { status, body } = await gateway.send({ path: "/chain/info" });
  const [height, finalized] = [Number(at(body, "height")), at(body, "latestFinalizedBlock")];
  if (status !== 200 || !height) {
    const message = at(body, "message");
    const reason = `${status}${typeof message === "string" ? `: ${printable(message)}` : ""}`;
    throw new UsageError(`${gateway.url} is not a gateway that serves a chain (GET /chain/info returned ${reason}).`);
  }
  return {
    height,
    finalized: Number(at(finalized, "height")) || 0,
    epoch: Number(at(finalized, "finalizationEpoch")) || 0,
  };
}

/** Pseudo-random integers below a limit that repeat with the same seed. */
function randomBelow(seed: number): (limit: number) => number {
  let drawn = 0;
  return (limit) => createHash("sha256").update(`${seed} ${drawn++}`).digest().readUIntBE(0, 6) % limit;
}
