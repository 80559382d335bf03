import { sql } from "kysely";

/** Number of entities and state entries of unknown types or versions. */
export const unknownEntitiesCount = sql<number>`(
  (select count(*) from unknown_entities) +
  (select count(*) from pending_states where unknown_version is not null))`;
