import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import type { Context } from "../../schema/graph/context.js";
import { reportDatabaseLost, toApiError } from "../../schema/services/failure.js";
import type { ClientLimit, ClientLimits } from "../clients/client-limit.js";
import { compileOperation, type Operation } from "../graphql/operation.js";
import { RenderedEvent } from "./rendered-event.js";
import type { Topic } from "./topic.js";

/** Concurrent reads, one per client: they share the database's connections with REST. */
const READS_AT_ONCE = 3;
/** Pages that the connections of one client may hold at one time: they are kept until they have been sent. */
const PAGES_PER_CLIENT = 16;

const MISSED_EVENTS = `query ($topics: [TopicInput!]!, $from: SafeInt!) {
  missedEvents(topics: $topics, from: $from) { data { event { sequence document } topics } through isLast }
}`;

/** Missed events, or a part of them. */
export interface MissedPage {
  /** In the order of their sequences, each with the keys of the requested topics that it belongs to. */
  readonly events: readonly { readonly event: RenderedEvent; readonly keys: readonly string[] }[];
  /** There are no others up to this sequence. */
  readonly through: number;
  /** Whether all further events are live. */
  readonly isLast: boolean;
}

interface Answer {
  readonly data: readonly {
    readonly event: { readonly sequence: number; readonly document: string };
    readonly topics: readonly number[];
  }[];
  readonly through: number;
  readonly isLast: boolean;
}

export interface MissedReaderOptions {
  readonly schema: GraphQLSchema;
  readonly contextValue: Context;
  readonly log: Logger;
  readonly limits: ClientLimits;
}

/** A client that reads missed events. */
export interface MissedReaderClient {
  readonly clientKey: string;
  /** Aborted when it has disconnected. */
  readonly signal: AbortSignal;
}

/** Reads missed events by a GraphQL query in this process, a few at a time, the clients in turns. */
export class MissedReader {
  readonly #operation: Operation;
  readonly #contextValue: Context;
  readonly #log: Logger;
  readonly #pages: ClientLimit;
  readonly #reads: ClientLimit;

  /** @throws Error when the schema has no such query */
  constructor({ schema, contextValue, log, limits }: MissedReaderOptions) {
    this.#operation = compileOperation(schema, MISSED_EVENTS);
    this.#contextValue = contextValue;
    this.#log = log;
    this.#pages = limits.create("missedPages", { perClient: PAGES_PER_CLIENT });
    this.#reads = limits.create("missedReads", { total: READS_AT_ONCE, perClient: 1 });
  }

  /**
   * Reads the next events of the topics, from the sequence `from` on. The page counts as one of the client's until `use`
   * has ended.
   * @throws ApiError: ResumeRangeError when `from` is out of range; the reason of the client's signal
   */
  read<Result>(
    { clientKey, signal }: MissedReaderClient,
    topics: readonly Topic[],
    from: number,
    use: (page: MissedPage) => Promise<Result> | Result,
  ): Promise<Result> {
    return this.#pages.run(clientKey, signal, async () =>
      use(await this.#reads.run(clientKey, signal, () => this.#read(topics, from))),
    );
  }

  async #read(topics: readonly Topic[], from: number): Promise<MissedPage> {
    try {
      const wanted = topics.map(({ channel, address }) => ({ channel, address }));
      const { missedEvents } = await this.#operation(this.#contextValue, { topics: wanted, from });
      const { data, through, isLast } = missedEvents as Answer;
      const events = data.map(({ event: { sequence, document }, topics: places }) => ({
        event: new RenderedEvent(sequence, document),
        keys: places.map((place) => topics[place]!.key),
      }));
      return { events, through, isLast };
    } catch (error) {
      const failure = toApiError(error);
      // What waits needs the same database, and would wait as long as this has, one after another.
      if (failure.code === "ServiceUnavailable") {
        for (const limit of [this.#pages, this.#reads]) limit.rejectWaiting(failure);
      }
      if (failure.cause && !reportDatabaseLost(this.#log, failure.cause))
        this.#log.error({ err: failure.cause }, "Missed events cannot be read");
      throw failure;
    }
  }
}
