import type { Generated } from "kysely";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import type { Db } from "./database.js";

/**
 * Keys of state values that may have changed since they were read. A key that is not among them has in the database the
 * value it has at the head.
 */
export interface PendingStateTable {
  /** Number of the kind: see `stateKindNumber`. */
  kind: number;
  /** As the node is asked for it: ids little-endian. */
  key: Buffer;
  /** The block that made it pending; those that wait longest are read first. */
  height: number;
  /**
   * The value's version, when it was read and this program does not know it: then it waits for another program, and the row
   * of the key keeps the value before. Null for a key that waits to be read.
   */
  unknown_version: Generated<number | null>;
}

/** An entry as it was before a block that is not final; a value of null where there was none. */
export interface ReplacedStateTable {
  /** The block that replaced it. */
  height: number;
  /** Number of the kind: see `stateKindNumber`. */
  kind: number;
  /** As the node is asked for it: ids little-endian. */
  key: Buffer;
  value: Buffer | null;
  /** Of accounts: see there. */
  history: Buffer | null;
}

/** Who votes in an epoch of finalization, where blocks are executed. */
export interface VotingSetTable {
  epoch: number;
  /** The last block of the epoch before: the state after it decides. */
  height: number;
  /** Key (32 bytes) and weight (8, little-endian) of each voter. */
  voters: Buffer;
}

/** Columns that every table of state has. */
export interface StateTable {
  /** 12 bytes: a number that grows with the order in which rows came. */
  id: Buffer;
  /** The bytes whose hash stands in the state tree. */
  value: Buffer;
  /** REST body. */
  document: string;
}

/** The number that stands for a kind of state in the database: its place in the list of sub-caches. */
export function stateKindNumber(kind: StateKind): number {
  return STATE_KINDS.indexOf(kind);
}

/** The kind of a number that `stateKindNumber` gave. @throws RangeError for another one */
export function stateKindOf(number: number): StateKind {
  const kind = STATE_KINDS[number];
  if (kind === undefined) throw new RangeError(`${number} stands for no kind of state`);
  return kind;
}

/** The 12 bytes of the id of the `sequence`-th row of state: the number, padded. */
export function stateId(sequence: number): Buffer {
  const id = Buffer.alloc(12);
  id.writeBigUInt64BE(BigInt(sequence), 4);
  return id;
}

/** How far the state is behind the blocks. */
export interface StateStatus {
  /** Of the index; 0 before the nemesis block. */
  readonly height: number;
  /** The newest height at which every entry was as the node had it; undefined before the first time. */
  readonly stateHeight: number | undefined;
  /** Keys that may have changed since they were read. */
  readonly pending: number;
}

/** Where the state stands; undefined before anything was indexed. Counts the waiting keys, so it is not for every request. */
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
