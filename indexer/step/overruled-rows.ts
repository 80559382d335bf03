import type { Insertable } from "kysely";
import type { Logger } from "pino";
import { hex } from "../../catapult/entity/hex.js";
import type { OverruledCheckTable } from "../../database/tables/chain.js";
import type { OverruledCheck } from "../../ledger/engine/overruled-check.js";
import type { IndexerMetrics } from "../metrics/metrics.js";

export function overruledRow({ height, rule, transaction }: OverruledCheck): Insertable<OverruledCheckTable> {
  return { height, rule, transaction_hash: transaction ?? null };
}

/** Logs checks that votes overruled: one message for each. */
export function reportOverruled(
  overruled: readonly OverruledCheck[],
  { log, metrics }: { readonly log: Logger; readonly metrics?: IndexerMetrics | undefined },
): void {
  metrics?.overruled(overruled.length);
  for (const { height, rule, transaction } of overruled) {
    log.error(
      { height, rule, ...(transaction && { transaction: hex(transaction) }) },
      "Indexed a block that a check of this program rejects, because votes prove it: update the program, and report this",
    );
  }
}
