import { UsageError } from "../process/usage-error.js";
import { Comparison, type SettlingTimes } from "./comparison.js";
import { type Json, memberOf } from "./differences.js";
import { FollowUps } from "./follow-ups.js";
import type { GatewayClient } from "./gateway-client.js";
import { Names } from "./names.js";
import { chainLookUps, chainRequests, type Span } from "./plan-chain.js";
import { edgeRequests } from "./plan-edges.js";
import { stateLists, stateLookUps } from "./plan-state.js";
import { printable } from "./printable.js";
import { SeededRandom } from "./random.js";
import { Report } from "./report.js";
import type { Side } from "./request.js";

/** Options of {@link compareGateways}. */
export interface CompareOptions {
  readonly gateways: Readonly<Record<Side, GatewayClient>>;
  /** Number of blocks, transactions, accounts and other things of each kind to compare. */
  readonly sample: number;
  readonly seed: number;
  /** Called after every request, with the report so far. */
  readonly onProgress: (report: Report) => void;
  /** Called once, before the first compared request. */
  readonly onSpan: (span: Span) => void;
  readonly times?: SettlingTimes;
}

interface ChainInfo {
  readonly height: number;
  readonly finalizedHeight: number;
  readonly epoch: number;
}

/**
 * Sends the same requests to two gateways, first about the chain, then about everything that the responses name, and
 * reports the differences. Memory is bounded by the sample.
 * @throws UnreachableError when a gateway does not respond, UsageError when they serve different networks or nothing
 * yet
 */
export async function compareGateways(options: CompareOptions): Promise<Report> {
  const { gateways, sample: size, seed, onProgress } = options;
  const span = await commonSpan(gateways);
  options.onSpan(span);
  const random = new SeededRandom(seed);
  const names = new Names({ size, seed, highest: span.highest });
  const followUps = new FollowUps();
  const report = new Report();
  const listener = {
    judged: (...judged: Parameters<Report["add"]>) => {
      report.add(...judged);
      onProgress(report);
    },
    answered: (...answers: Parameters<FollowUps["collect"]>) => {
      const [, ours, theirs] = answers;
      names.collect(ours);
      names.collect(theirs);
      followUps.collect(...answers);
    },
  };
  const comparison = new Comparison(gateways, listener, options.times);
  await comparison.run(chainRequests({ ...span, size, random }));
  await comparison.run(stateLists(random));
  await comparison.run(followUps.all.slice());
  await comparison.run(chainLookUps(names));
  await comparison.run(stateLookUps(names, span.highest));
  await comparison.run(edgeRequests());
  return report;
}

/** The heights that both gateways have and know to be final; if nothing is final, the heights that both have. */
async function commonSpan({ ours, theirs }: Readonly<Record<Side, GatewayClient>>): Promise<Span> {
  const [left, right] = await Promise.all([chainInfoOf(ours), chainInfoOf(theirs)]);
  await requireSameNetwork(ours, theirs);
  const finalized = Math.min(left.finalizedHeight, right.finalizedHeight);
  return {
    highest: Math.max(1, finalized > 1 ? finalized : Math.min(left.height, right.height)),
    epoch: Math.max(1, Math.min(left.epoch, right.epoch)),
  };
}

async function chainInfoOf(gateway: GatewayClient): Promise<ChainInfo> {
  const { status, body } = await gateway.send({ method: "GET", path: "/chain/info" });
  const finalized = memberOf(body as Json, "latestFinalizedBlock");
  const [height, finalizedHeight] = [memberOf(body as Json, "height"), memberOf(finalized, "height")].map(Number);
  if (status !== 200 || !height) {
    const message = memberOf(body as Json, "message");
    const reason = typeof message === "string" ? `: ${printable(message)}` : "";
    throw new UsageError(
      `${gateway.url} is not a gateway that serves a chain (GET /chain/info returned ${status}${reason}).`,
    );
  }
  return {
    height,
    finalizedHeight: finalizedHeight || 0,
    epoch: Number(memberOf(finalized, "finalizationEpoch")) || 0,
  };
}

/** The first block identifies the network. */
async function requireSameNetwork(ours: GatewayClient, theirs: GatewayClient): Promise<void> {
  const request = { method: "GET", path: "/blocks/1" } as const;
  const answers = await Promise.all([ours.send(request), theirs.send(request)]);
  const [left, right] = answers.map(({ body }) => memberOf(memberOf(body as Json, "meta"), "hash"));
  if (left === undefined || left !== right) {
    throw new UsageError(
      `${ours.url} and ${theirs.url} serve different networks: their first blocks are ${printable(`${left} and ${right}`)}.`,
    );
  }
}
