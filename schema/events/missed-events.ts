import type { Db } from "../../database/database.js";
import { type EventLimits, type EventTopic, findEvents, type StoredEvent } from "../../database/queries/events.js";
import { ApiError } from "../services/errors.js";
import type { EventSource } from "../services/event-source.js";

/** A start before the oldest event that is kept, or behind the next one to come. */
export class ResumeRangeError extends ApiError {
  /** Sequences from which one can start: the oldest event that is kept, and the next one to come. */
  readonly oldest: number;
  readonly next: number;
  override readonly extensions: { readonly code: "InvalidArgument"; readonly oldest: number; readonly next: number };

  constructor(oldest: number, next: number) {
    super(
      "InvalidArgument",
      `the events that are kept begin with ${oldest}, and the next one to come is ${next}: from must be from ${oldest} to ${next}`,
    );
    this.name = "ResumeRangeError";
    this.oldest = oldest;
    this.next = next;
    this.extensions = { code: "InvalidArgument", oldest, next };
  }
}

/** Events of one page: it is kept until the client has taken it, so a few large ones fill it too. */
const PAGE: EventLimits = { count: 100, bytes: 256 * 1024 };

/** Where missed events are read. */
export interface EventLog {
  readonly db: Db;
  readonly events: Pick<EventSource, "newest">;
}

/** What a reader missed, or a part of it. */
export interface MissedEvents {
  /** In order. */
  readonly events: readonly StoredEvent[];
  /** There is nothing more up to this sequence. */
  readonly through: number;
  /** Whether that was the newest event there is, so that the rest comes live. */
  readonly isLast: boolean;
}

/**
 * Events of any of the topics (see {@link findEvents}) from `from` on, a page of them.
 * @throws ResumeRangeError when events from there on are gone already, or `from` lies in the future
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
    // A replica that is behind, perhaps: other gateways may have told more already.
    const told = await source.newest();
    if (from > told + 1) throw new ResumeRangeError(oldest, told + 1);
  }
  return { events, through: isCut ? events.at(-1)!.sequence : Math.max(newest, from - 1), isLast: !isCut };
}
