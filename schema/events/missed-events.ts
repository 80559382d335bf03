import type { Db } from "../../database/database.js";
import { type EventLimits, type EventTopic, findEvents, type StoredEvent } from "../../database/queries/events.js";
import { ApiError } from "../services/errors.js";
import type { EventSource } from "../services/event-source.js";

/** A start before the oldest retained event, or after the next future one. */
export class ResumeRangeError extends ApiError {
  /** The valid range of starts: the oldest retained event, and the next future one. */
  readonly oldest: number;
  readonly next: number;
  override readonly extensions: { readonly code: "InvalidArgument"; readonly oldest: number; readonly next: number };

  constructor(oldest: number, next: number) {
    super(
      "InvalidArgument",
      `the oldest retained event is ${oldest}, and the next one will be ${next}: from must be from ${oldest} to ${next}`,
    );
    this.name = "ResumeRangeError";
    this.oldest = oldest;
    this.next = next;
    this.extensions = { code: "InvalidArgument", oldest, next };
  }
}

/** Events of one page: it is kept until the client has read it, so it is also limited in bytes. */
const PAGE: EventLimits = { count: 100, bytes: 256 * 1024 };

/** The log that missed events are read from. */
export interface EventLog {
  readonly db: Db;
  readonly events: Pick<EventSource, "newest">;
}

/** A reader's missed events, or a part of them. */
export interface MissedEvents {
  /** In order. */
  readonly events: readonly StoredEvent[];
  /** No event up to this sequence is missing. */
  readonly through: number;
  /** Whether that was the newest event, so that all further ones are live. */
  readonly isLast: boolean;
}

/**
 * A page of events of any of the topics (see {@link findEvents}), starting with `from`.
 * @throws ResumeRangeError when events from there on are already deleted, or `from` is in the future
 */
export async function readMissed(
  { db, events: source }: EventLog,
  topics: readonly EventTopic[],
  from: number,
  page: EventLimits = PAGE,
): Promise<MissedEvents> {
  const { events, isCut, oldest, newest } = await findEvents(db, topics, from, page);
  if (from < oldest) throw new ResumeRangeError(oldest, newest + 1);
  if (from > newest + 1) {
    // Perhaps a lagging replica: other gateways may already have sent later events.
    const told = await source.newest();
    if (from > told + 1) throw new ResumeRangeError(oldest, told + 1);
  }
  return { events, through: isCut ? events.at(-1)!.sequence : Math.max(newest, from - 1), isLast: !isCut };
}
