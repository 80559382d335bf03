import { type RawBuilder, sql } from "kysely";

/**
 * Rule `hasEnded` of catapult/state/end.ts as a condition in SQL, over a column with the end's height: null for what
 * never ends.
 */
export function hasEndedAt(column: string, height: RawBuilder<unknown> | number): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} <= ${height})`;
}

/** The opposite, also true for what never ends. */
export function isActiveAt(column: string, height: RawBuilder<unknown> | number): RawBuilder<boolean> {
  return sql<boolean>`(${hasEndedAt(column, height)} is not true)`;
}
