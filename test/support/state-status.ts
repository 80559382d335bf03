import type { Db } from "../../database/database.js";

/** How far the state is behind the blocks. */
export interface StateStatus {
  /** Of the index; 0 before the nemesis block. */
  readonly height: number;
  /** The newest height at which every entry equalled the node's; undefined before the first time. */
  readonly stateHeight: number | undefined;
  /** Number of keys that may have changed since they were read. */
  readonly pending: number;
}

/** The status of the state; undefined before anything was indexed. Counts the pending keys, so it is not for every request. */
export async function readStateStatus(db: Db): Promise<StateStatus | undefined> {
  const row = await db
    .selectFrom("head")
    .select(["height", "state_height"])
    .select((q) =>
      q
        .selectFrom("pending_states")
        .where("unknown_version", "is", null)
        .select(q.fn.countAll<number>().as("count"))
        .as("pending"),
    )
    .executeTakeFirst();
  if (!row) return undefined;
  return { height: row.height, stateHeight: row.state_height ?? undefined, pending: row.pending ?? 0 };
}
