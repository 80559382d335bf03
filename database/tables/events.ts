import type { ColumnType } from "kysely";
import type { ChannelName as EventChannel } from "../../catapult/body/message.js";

export type { EventChannel };

/** What `/ws` sends, written in the transaction that caused it. */
export interface EventTable {
  /** From 1, without gaps: the head row holds the newest. The oldest are deleted after a while, see indexer/prune-events.ts. */
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
/** By whom events are found again: a row for each address of an event. */
export interface EventAddressTable {
  /** 24 bytes. */
  address: Buffer;
  channel: EventChannel;
  sequence: number;
}

/** Channel that PostgreSQL's NOTIFY wakes listeners on; the payload is the newest sequence. */
export const EVENTS_CHANNEL = "symbol_events";
