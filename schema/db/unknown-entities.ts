import { sql } from "kysely";

/** What blocks hold and the program that wrote them did not know; state entries of that kind are in `pending_states`. */
export interface UnknownEntityTable {
  /** Of its block, transaction or statement. */
  id: Buffer;
  /** `block`, `transaction`, `embedded`, or `receipt n` for the n-th of its statement, from 0. */
  place: string;
  type: number;
  version: number;
}

/** How many entities and state entries of unknown types or versions there are. */
export const unknownEntitiesCount = sql<number>`(
  (select count(*) from unknown_entities) +
  (select count(*) from pending_states where unknown_version is not null))`;
