import type { Insertable } from "kysely";
import type { Logger } from "pino";
import type { VerifiedBlock } from "../../../catapult/entity/model.js";
import { type UnknownEntity, unknownEntities } from "../../../catapult/entity/unknown-entities.js";
import { entityNumber } from "../../../catapult/json/entity-id.js";
import type { UnknownEntityTable } from "../../../database/tables/chain.js";
import type { IndexerMetrics } from "../../metrics/metrics.js";
import type { BlockRange } from "./block-range.js";

/** Rows of unknown entities in a block. */
export function unknownEntityRows(block: VerifiedBlock): Insertable<UnknownEntityTable>[] {
  return unknownEntities(block).map(({ place, index, embeddedIndex, type, version }) => ({
    id: entityNumber(block.height, index, embeddedIndex === undefined ? 0 : embeddedIndex + 1),
    place,
    type,
    version,
  }));
}

/** An unknown entity, and the height of its block. */
export type FoundUnknown = UnknownEntity & { readonly height: number };

/** Unknown entities in blocks. */
export function unknownIn(blocks: readonly VerifiedBlock[]): FoundUnknown[] {
  return blocks.flatMap((block) => unknownEntities(block).map((found) => ({ height: block.height, ...found })));
}

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
