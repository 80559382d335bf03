import type { Logger } from "pino";
import { Backoff } from "../../catapult/wire/backoff.js";
import type { IndexerMetrics } from "../metrics/metrics.js";

const FIRST_MS = 60_000;
const LONGEST_MS = 3_600_000;

/**
 * The nodes whose pools are ignored for a while, because they exceeded the limits or contained transactions that no
 * node accepts: for a minute, then 2, 4 and so on up to an hour.
 */
export class IgnoredPools {
  readonly #options: { readonly log: Logger; readonly metrics?: IndexerMetrics | undefined };
  readonly #clock: () => number;
  readonly #nodes = new Map<string, { readonly backoff: Backoff; until: number }>();

  /** @param clock milliseconds of a monotonic clock */
  constructor(
    options: { readonly log: Logger; readonly metrics?: IndexerMetrics | undefined },
    clock: () => number = () => performance.now(),
  ) {
    this.#options = options;
    this.#clock = clock;
  }

  /** @param node `host:port` */
  has(node: string | undefined): boolean {
    return (this.#nodes.get(node ?? "")?.until ?? Number.NEGATIVE_INFINITY) > this.#clock();
  }

  add(node: string | undefined, problem: string): void {
    const { log, metrics } = this.#options;
    const now = this.#clock();
    const backoff = new Backoff({ initialMs: FIRST_MS, maxMs: LONGEST_MS, jitter: 0 });
    const ignored = this.#nodes.get(node ?? "") ?? { backoff, until: now };
    if (now - ignored.until > LONGEST_MS) ignored.backoff.reset();
    const ignoredForMs = ignored.backoff.next();
    ignored.until = now + ignoredForMs;
    this.#nodes.set(node ?? "", ignored);
    metrics?.rejectedData("pool");
    log.error({ node, problem, ignoredForMs }, "Ignoring the pending transactions of a node");
  }
}
