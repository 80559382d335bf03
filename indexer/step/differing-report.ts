import type { Logger } from "pino";
import { hex } from "../../catapult/entity/hex.js";
import type { OverruledCheck } from "../../ledger/engine/overruled-check.js";
import type { IndexerMetrics } from "../metrics/metrics.js";

interface Reporters {
  readonly log: Logger;
  readonly metrics?: IndexerMetrics | undefined;
}

/** Logs checks that votes overruled: one message for each. */
export function reportOverruled(overruled: readonly OverruledCheck[], { log, metrics }: Reporters): void {
  metrics?.overruled(overruled.length);
  for (const { height, rule, transaction } of overruled) {
    log.error(
      { height, rule, ...(transaction && { transaction: hex(transaction) }) },
      "Indexed a block that a check of this program rejects, because votes prove it: update the program, and report this",
    );
  }
}

/** Logs proven blocks of a step whose state hash is another one than computed, in one message. */
export function reportDiffering(differing: readonly number[], { log, metrics }: Reporters): void {
  metrics?.differed(differing.length);
  const [height] = differing;
  if (height === undefined) return;
  log.error(
    { height, blocks: differing.length },
    "Indexed blocks although this program computes another state, because votes prove them: update the program, and report this",
  );
}
