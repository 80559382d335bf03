import type { ColumnType } from "kysely";
import type { ChannelName as EventChannel } from "../../catapult/structs/message.js";

export type { EventChannel };

/** Messages of `/ws`, written in the transaction that caused them. */
export interface EventTable {
  /** From 1, without gaps: the head row has the newest. Old events are deleted, see indexer/prune-events.ts. */
  sequence: number;
  channel: EventChannel;
  /** The block's height; for droppedBlocks the last height that was kept; for events outside blocks the head's. */
  height: number;
  /** Addresses that it concerns: 24 bytes each; empty if it concerns all subscribers. */
  addresses: Buffer[];
  /** The message's `data` as JSON text. */
  data: string;
  created_at: ColumnType<Date, never, never>;
}
/** Index of events by address: a row for each address of an event. */
export interface EventAddressTable {
  /** 24 bytes. */
  address: Buffer;
  channel: EventChannel;
  sequence: number;
}

/** Channel of PostgreSQL's NOTIFY; the payload is the newest sequence. */
export const EVENTS_CHANNEL = "symbol_events";
