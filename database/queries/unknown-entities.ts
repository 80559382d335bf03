import { sql } from "kysely";

/** Number of entities of unknown types or versions. */
export const unknownEntitiesCount = sql<number>`(select count(*) from unknown_entities)`;
