import type { ColumnType } from "kysely";
import type { Db } from "./database.js";

/** Channel that PostgreSQL's NOTIFY wakes listeners on; the payload is the newest sequence. */
export const EVENTS_CHANNEL = "symbol_events";

/** What an event tells; the names are the topics of `/ws`. */
export type EventChannel =
  | "block"
  | "finalizedBlock"
  | "confirmedAdded"
  | "unconfirmedAdded"
  | "unconfirmedRemoved"
  | "partialAdded"
  | "partialRemoved"
  | "cosignature"
  | "status"
  | "droppedBlocks";

/** What `/ws` sends, written in the transaction that caused it. */
export interface EventTable {
  /** From 1, without gaps: the head row holds the newest. */
  sequence: number;
  channel: EventChannel;
  /** The block's height; for droppedBlocks the last height that was kept; for what is in no block the head's. */
  height: number;
  /** Whom it concerns: 24 bytes each; empty for what concerns everybody. */
  addresses: Buffer[];
  /** The message's `data` as JSON text. */
  data: string;
  created_at: ColumnType<Date, never, never>;
}

export interface StoredEvent {
  readonly sequence: number;
  readonly channel: EventChannel;
  readonly height: number;
  readonly addresses: Buffer[];
  readonly data: string;
}

/** Events behind `sequence`, in order, at most `limit`. */
export async function readEvents(db: Db, sequence: number, limit: number): Promise<StoredEvent[]> {
  return db
    .selectFrom("events")
    .select(["sequence", "channel", "height", "addresses", "data"])
    .where("sequence", ">", sequence)
    .orderBy("sequence")
    .limit(limit)
    .execute();
}

/** Sequence of the newest event, 0 before the first. */
export async function newestEventSequence(db: Db): Promise<number> {
  const head = await db.selectFrom("head").select("event_sequence").executeTakeFirst();
  return head?.event_sequence ?? 0;
}
