import type { Logger } from "pino";
import type { Db } from "../../database/database.js";
import { type EventLimits, type EventTopic, findEvents } from "../../database/queries/events.js";
import { ResumeRangeError } from "../errors/errors.js";
import { reportDatabaseLost, toApiError } from "../errors/failure.js";
import { logLimited } from "../limits/limited-log.js";
import type { EventPage } from "./event-feed.js";
import { PublishedEvent } from "./published-event.js";

/** Runs work in a slot of a client, see `ClientLimit` of the gateway. */
export interface Slots {
  run<Result>(client: string, signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result>;
}

/** Events of one page. */
const PAGE: EventLimits = { count: 100, bytes: 256 * 1024 };
const UNLIMITED: Slots = { run: (_client, _signal, work) => work() };

export interface EventRowsOptions {
  /** Database to read events from; may be a replica, whose lag is awaited. */
  readonly db: Db;
  readonly log: Logger;
  /** The slots of the pages that consumers hold until they have taken them; default unlimited. */
  readonly pages?: Slots | undefined;
  /** The slots of the reading of pages; default unlimited. */
  readonly reads?: Slots | undefined;
}

/** The events in the database, page by page, for consumers that catch up. */
export class EventRows {
  readonly #options: EventRowsOptions;

  constructor(options: EventRowsOptions) {
    this.#options = options;
  }

  /**
   * Reads the next events of topics. The page counts as one of the client's until `use` has ended.
   * @throws ApiError ResumeRangeError when they were deleted
   */
  readPage(
    { client, signal }: { readonly client: string; readonly signal: AbortSignal },
    topics: readonly EventTopic[],
    from: number,
    use: (page: EventPage) => Promise<void>,
  ): Promise<void> {
    const { pages = UNLIMITED, reads = UNLIMITED } = this.#options;
    return pages.run(client, signal, async () =>
      use(await reads.run(client, signal, () => this.#readPage(client, topics, from))),
    );
  }

  async #readPage(client: string, topics: readonly EventTopic[], from: number): Promise<EventPage> {
    const { db, log } = this.#options;
    try {
      const { events, isCut, oldest, newest } = await findEvents(db, topics, from, PAGE);
      if (from < oldest) throw new ResumeRangeError({ oldest, next: newest + 1 });
      const through = isCut ? events.at(-1)!.sequence : Math.max(newest, from - 1);
      return { events: events.map((event) => new PublishedEvent(event)), through };
    } catch (error) {
      const failure = toApiError(error);
      if (failure.cause && !reportDatabaseLost(log, failure.cause))
        logLimited(log, client, { err: failure.cause }, "Missed events cannot be read");
      throw failure;
    }
  }
}
