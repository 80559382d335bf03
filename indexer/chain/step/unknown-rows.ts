import type { Insertable } from "kysely";
import type { VerifiedBlock } from "../../../catapult/entity/model.js";
import { type UnknownEntity, unknownEntities } from "../../../catapult/entity/unknown-entities.js";
import { entityNumber } from "../../../catapult/json/entity-id.js";
import type { UnknownEntityTable } from "../../../database/tables/chain.js";

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
