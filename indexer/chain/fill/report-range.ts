import type { Logger } from "pino";
import type { IndexerMetrics } from "../../metrics/metrics.js";
import type { BlockRange } from "../step/block-range.js";
import type { FoundUnknown } from "../step/unknown-rows.js";

/** What is reported of a written range. */
export interface ReportedRange extends Pick<BlockRange, "missingRule" | "differing"> {
  readonly rows: readonly { readonly unknown: readonly FoundUnknown[] }[];
}

/** Logs and counts what this program does not know, or has wrong: each in one message, which names the first of a range. */
export function reportRange(
  { rows, missingRule, differing }: ReportedRange,
  { log, metrics }: { readonly log: Logger; readonly metrics?: IndexerMetrics | undefined },
): void {
  const found = rows.flatMap(({ unknown }) => unknown);
  metrics?.count("unknown_entities_total", found.length);
  metrics?.count("differing_blocks_total", differing.length);
  const [unknown] = found;
  if (unknown) {
    log.error(
      { count: found.length, ...unknown, type: `0x${unknown.type.toString(16)}` },
      "Indexed entities of an unknown type or version: update the program, then run backfill --source raw",
    );
  }
  if (missingRule) {
    log.error(
      missingRule,
      "Indexed a block that this program rejects, because votes prove it: update the program, and report this",
    );
  }
  const [height] = differing;
  if (height === undefined) return;
  log.error(
    { height, blocks: differing.length },
    "Indexed blocks although this program computes another state, because votes prove them: update the program, and report this",
  );
}
