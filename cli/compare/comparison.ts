import { setTimeout as sleep } from "node:timers/promises";
import { compareAnswers, type JudgedDifference } from "./answers-compared.js";
import { type Json, memberOf } from "./differences.js";
import { type Answer, type GatewayClient, NoAnswerError } from "./gateway-client.js";
import { type CompareRequest, pathFor, type Side } from "./request.js";

/** The result of comparing one request. */
export type Verdict =
  | {
      readonly kind: "compared";
      readonly differences: readonly JudgedDifference[];
      /** Whether both gateways returned something other than an error. */
      readonly isFound: boolean;
    }
  /**
   * A difference that may be caused by blocks that arrived meanwhile: the gateways were never at the same height for
   * long enough.
   */
  | { readonly kind: "unsettled"; readonly differences: readonly JudgedDifference[] }
  | { readonly kind: "unanswered"; readonly side: Side; readonly reason: string };

/** Called by {@link Comparison} for every request. */
export interface ComparisonListener {
  judged(request: CompareRequest, verdict: Verdict): void;
  /** Both responses, including errors. */
  answered(request: CompareRequest, ours: Answer, theirs: Answer): void;
}

/** How long is waited until two gateways agree, in ms. */
export interface SettlingTimes {
  readonly pauseMs: number;
  readonly longestMs: number;
}

const DEFAULT_TIMES: SettlingTimes = { pauseMs: 500, longestMs: 30_000 };
/** Concurrent requests per gateway. */
const AT_ONCE = 4;
/** Number of attempts at an unchanged head after which a difference counts. */
const SETTLED_ATTEMPTS = 3;
const LOWEST_ERROR = 400;
const NOT_FOUND = 404;

/**
 * Sends the same requests to both gateways, a few concurrently, and again where the chain may have changed in
 * between.
 */
export class Comparison {
  readonly #ours: GatewayClient;
  readonly #theirs: GatewayClient;
  readonly #listener: ComparisonListener;
  readonly #times: SettlingTimes;

  constructor(
    gateways: Readonly<Record<Side, GatewayClient>>,
    listener: ComparisonListener,
    times: SettlingTimes = DEFAULT_TIMES,
  ) {
    this.#ours = gateways.ours;
    this.#theirs = gateways.theirs;
    this.#listener = listener;
    this.#times = times;
  }

  /** Compares all of the requests. @throws UnreachableError when a gateway no longer responds */
  async run(requests: Iterable<CompareRequest>): Promise<void> {
    const iterator = requests[Symbol.iterator]();
    const work = async (): Promise<void> => {
      for (let next = iterator.next(); !next.done; next = iterator.next()) {
        this.#listener.judged(next.value, await this.#judge(next.value));
      }
    };
    const workers = Array.from({ length: AT_ONCE }, work);
    await Promise.all(workers).catch(async (error) => {
      iterator.return?.();
      await Promise.allSettled(workers);
      throw error;
    });
  }

  async #judge(request: CompareRequest): Promise<Verdict> {
    const start = performance.now();
    let settled = 0;
    for (let attempt = 1; ; attempt++) {
      const before = attempt > 1 && request.moves ? await this.#commonHeight() : undefined;
      const answers = await this.#answers(request);
      if (!Array.isArray(answers)) return answers as Verdict;
      const [ours, theirs] = answers as [Answer, Answer];
      this.#listener.answered(request, ours, theirs);
      const differences = compareAnswers(request, ours, theirs);
      const isFound = ours.status < LOWEST_ERROR && theirs.status < LOWEST_ERROR;
      const isGone = request.mayVanish && (ours.status === NOT_FOUND || theirs.status === NOT_FOUND);
      if (isGone || differences.every(({ known }) => known !== undefined)) {
        return { kind: "compared", differences: isGone ? [] : differences, isFound };
      }
      if (!request.moves) {
        if (attempt > 1) return { kind: "compared", differences, isFound };
        continue;
      }
      if (before !== undefined && (await this.#commonHeight()) === before) settled += 1;
      if (settled >= SETTLED_ATTEMPTS) return { kind: "compared", differences, isFound };
      if (performance.now() - start > this.#times.longestMs) return { kind: "unsettled", differences };
      await sleep(this.#times.pauseMs);
    }
  }

  /** The responses of both gateways, requested concurrently, or which one failed. */
  async #answers(request: CompareRequest): Promise<[Answer, Answer] | Verdict> {
    const ask = async (side: Side, gateway: GatewayClient): Promise<Answer | Verdict> => {
      const method = request.body === undefined ? "GET" : "POST";
      try {
        return await gateway.send({ method, path: pathFor(request, side), body: request.body });
      } catch (error) {
        if (!(error instanceof NoAnswerError)) throw error;
        return { kind: "unanswered", side, reason: error.message };
      }
    };
    const [ours, theirs] = await Promise.all([ask("ours", this.#ours), ask("theirs", this.#theirs)]);
    if ("kind" in ours) return ours;
    return "kind" in theirs ? theirs : [ours, theirs];
  }

  /** The height of both gateways' heads; undefined while they differ. */
  async #commonHeight(): Promise<number | undefined> {
    const answers = await this.#answers({ operationId: "getChainInfo", path: "/chain/info" });
    if (!Array.isArray(answers)) return undefined;
    const [ours, theirs] = answers.map(({ body }) => Number(memberOf(body as Json, "height")));
    return ours === theirs ? ours : undefined;
  }
}
