import type { ColumnType, Generated, GeneratedAlways } from "kysely";

/** An operator's webhook. */
export interface WebhookTable {
  id: GeneratedAlways<number>;
  url: string;
  /** `channel`, or `channel/` or `deposit/` and 48 hex digits of an address. */
  topics: string[];
  /** Blocks above that of a message before it is sent; 0 = at once. */
  confirmations: number;
  /** Whether a message is sent when its block is final. */
  awaits_finality: boolean;
  /** The key of its signatures: 24 to 64 bytes. */
  secret: Buffer;
  created_at: ColumnType<Date, never, never>;
  /** Sequence of the last event that was considered. */
  queued_through: number;
  /** Number of its next message. */
  next_number: Generated<number>;
}

/** `waiting` for confirmations or finality, `pending` until it is delivered, `dead` after a day of failures. */
export type WebhookMessageState = "waiting" | "pending" | "delivered" | "dead";

/** A message of a webhook. Messages are sent in the order of their numbers. */
export interface WebhookMessageTable {
  webhook_id: number;
  /** From 1 for each webhook; a message that is dropped before it was sent leaves a gap. */
  number: number;
  /** The event's channel, `deposit`, `dropped` or `missed`. */
  type: string;
  /** Height of the block that the message is about, which a fork may drop; otherwise null. */
  height: number | null;
  /** The request body: the same bytes in each attempt. That of a deposit is completed when it no longer waits. */
  body: string;
  state: WebhookMessageState;
  /** Attempts that were begun. */
  attempts: Generated<number>;
  queued_at: Generated<Date>;
  next_attempt_at: Generated<Date>;
  /** When it was delivered or given up. */
  ended_at: Date | null;
  /** Why the last attempt failed. */
  problem: string | null;
  /** Whether a `dropped` message names it. */
  is_dropped: Generated<boolean>;
}
