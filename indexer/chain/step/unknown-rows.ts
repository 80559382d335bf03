import type { Insertable } from "kysely";
import type { VerifiedBlock } from "../../../catapult/entity/model.js";
import { unknownEntities } from "../../../catapult/entity/unknown-entities.js";
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
