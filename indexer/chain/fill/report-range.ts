import type { Logger } from "pino";
import { decodeEntityNumber } from "../../../catapult/json/entity-id.js";
import type { IndexerMetrics } from "../../metrics/metrics.js";
import type { BlockRange } from "../step/block-range.js";
import type { EncodedRows } from "../step/block-rows.js";

interface ReportedRange extends Pick<BlockRange, "missingRule" | "differing"> {
  readonly rows: readonly Pick<EncodedRows, "unknown">[];
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
    const { id, place, type, version } = unknown;
    const { height, index, embeddedIndex } = decodeEntityNumber(id);
    const inAggregate = place === "embedded" ? { embeddedIndex: embeddedIndex - 1 } : {};
    log.error(
      { count: found.length, height, place, index, ...inAggregate, type: `0x${type.toString(16)}`, version },
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
