import { sql } from "kysely";

/** How many entities and state entries of unknown types or versions there are. */
export const unknownEntitiesCount = sql<number>`(
  (select count(*) from unknown_entities) +
  (select count(*) from pending_states where unknown_version is not null))`;
