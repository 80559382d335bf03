import type { Insertable } from "kysely";
import type { Logger } from "pino";
import { hex } from "../../../catapult/entity/hex.js";
import type { VerifiedBlock } from "../../../catapult/entity/model.js";
import { type UnknownEntity, unknownEntities } from "../../../catapult/entity/unknown-entities.js";
import { entityNumber } from "../../../catapult/json/entity-id.js";
import type { UnknownEntityTable } from "../../../database/tables/chain.js";
import type { OverruledCheck } from "../../../ledger/engine/overruled-check.js";
import type { IndexerMetrics } from "../../metrics/metrics.js";

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

/** Logs entities that were indexed as unknown: one message for all, which names the first. */
export function reportUnknown(
  found: readonly FoundUnknown[],
  { log, metrics }: { readonly log: Logger; readonly metrics?: IndexerMetrics | undefined },
): void {
  const [first] = found;
  if (!first) return;
  metrics?.count("unknown_entities_total", found.length);
  log.error(
    { count: found.length, ...first, type: `0x${first.type.toString(16)}` },
    "Indexed entities of an unknown type or version: update the program, then run backfill --source raw",
  );
}

interface Reporters {
  readonly log: Logger;
  readonly metrics?: IndexerMetrics | undefined;
}

/** Logs checks that votes overruled: one message for each. */
export function reportOverruled(overruled: readonly OverruledCheck[], { log, metrics }: Reporters): void {
  metrics?.count("overruled_checks_total", overruled.length);
  for (const { height, rule, transaction } of overruled) {
    log.error(
      { height, rule, ...(transaction && { transaction: hex(transaction) }) },
      "Indexed a block that a check of this program rejects, because votes prove it: update the program, and report this",
    );
  }
}

/** Logs proven blocks of a step whose state hash is another one than computed, in one message. */
export function reportDiffering(differing: readonly number[], { log, metrics }: Reporters): void {
  metrics?.count("differing_blocks_total", differing.length);
  const [height] = differing;
  if (height === undefined) return;
  log.error(
    { height, blocks: differing.length },
    "Indexed blocks although this program computes another state, because votes prove them: update the program, and report this",
  );
}
