import type { Logger } from "pino";
import { hex } from "../../catapult/entity/hex.js";
import type { OverruledCheck } from "../../ledger/engine/overruled-check.js";
import type { UnprovenEntry } from "../../ledger/state/unproven-entry.js";
import type { IndexerMetrics } from "../metrics/metrics.js";
import type { DifferingBlock } from "./state-change.js";

interface Reporters {
  readonly log: Logger;
  readonly metrics?: IndexerMetrics | undefined;
}

/** Maximum number of entries that are logged at once. */
const MAX_LOGGED = 100;

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

/** Logs proven blocks of a step whose hashes are others than computed: one message for those of each hash. */
export function reportDiffering(differing: readonly DifferingBlock[], { log, metrics }: Reporters): void {
  metrics?.differed(differing.length);
  for (const field of ["stateHash", "receiptsHash"] as const) {
    const heights = differing.filter((one) => one.field === field).map(({ height }) => height);
    if (heights.length === 0) continue;
    log.error(
      { height: heights[0], blocks: heights.length, field },
      "Indexed blocks although this program computes another hash, because votes prove them: update the program, and report this",
    );
  }
}

/** Logs entries that have been found to differ from the network's. */
export function reportUnproven(unproven: readonly UnprovenEntry[], height: number, { log }: Reporters): void {
  log.warn({ height, entries: unproven.length }, "The state is that of the network again, but for these entries");
  for (const { kind, key, position, since } of unproven.slice(0, MAX_LOGGED)) {
    log.error({ kind, ...(key ? { key: hex(key) } : { position }), since }, "The value of an entry is not proven");
  }
}
