import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import type { Db } from "../database.js";

/** The number of a kind of state in the database: its position in the list of sub-caches. */
export function stateKindNumber(kind: StateKind): number {
  return STATE_KINDS.indexOf(kind);
}

/** The inverse of `stateKindNumber`. @throws RangeError for an unknown number */
export function stateKindOf(number: number): StateKind {
  const kind = STATE_KINDS[number];
  if (kind === undefined) throw new RangeError(`${number} is not a kind of state`);
  return kind;
}

/** The 12 bytes of the id of the `sequence`-th row of state: the number, padded. */
export function stateId(sequence: number): Buffer {
  const id = Buffer.alloc(12);
  id.writeBigUInt64BE(BigInt(sequence), 4);
  return id;
}

/** The lag of the state behind the blocks. */
export interface StateStatus {
  /** Of the index; 0 before the nemesis block. */
  readonly height: number;
  /** The newest height at which every entry was consistent with the node; undefined before the first time. */
  readonly stateHeight: number | undefined;
  /** Number of keys that may have changed since they were read. */
  readonly pending: number;
}

/**
 * Status of the state; undefined before anything was indexed. Counts the pending keys, so it is not for every
 * request.
 */
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

/** Number of keys that are pending. */
export async function countPending(db: Db): Promise<number> {
  const row = await db
    .selectFrom("pending_states")
    .where("unknown_version", "is", null)
    .select((q) => q.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return row.count;
}
