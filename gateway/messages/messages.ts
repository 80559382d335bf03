import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import type { Context } from "../../schema/graph/context.js";
import type { ApiError } from "../../schema/services/errors.js";
import type { ClientLimits } from "../clients/client-limit.js";
import { FairQueue } from "../clients/fair-queue.js";
import { MissedReader } from "./missed.js";
import type { RecipientServices } from "./recipient.js";
import { SharedTopics } from "./shared-topics.js";

export interface MessagesOptions {
  /** Must have every channel as a subscription. */
  readonly schema: GraphQLSchema;
  /** Context of all operations: they read nothing by its loaders. */
  readonly contextValue: Context;
  readonly log: Logger;
  readonly limits: ClientLimits;
}

/** The messages of all channels, for `/ws` and `/events`: live and missed ones, rendered once for both. */
export class Messages implements RecipientServices {
  readonly topics: SharedTopics;
  readonly missed: MissedReader;
  readonly steps = new FairQueue();
  readonly #events: Context["events"];

  /** @throws Error when the schema lacks a channel */
  constructor(options: MessagesOptions) {
    this.topics = new SharedTopics(options);
    this.missed = new MissedReader(options);
    this.#events = options.contextValue.events;
  }

  /** Sequence of the newest event; undefined before the database was reached for the first time. */
  get sequence(): number | undefined {
    return this.#events.sequence;
  }

  /** Why no client can be accepted: it would miss events unnoticed. Undefined once the position is known. */
  get positionError(): ApiError | undefined {
    return this.#events.positionError;
  }

  /**
   * The sequence up to which every event was passed to its recipients; undefined while some are not yet. To be read in
   * a turn of the event loop of its own, because topics receive events in several steps of one turn.
   */
  get deliveredSequence(): number | undefined {
    return this.topics.isDelivered ? this.sequence : undefined;
  }

  /** Ends every topic. To be called after the connections are closed, and before the event source. */
  close(): void {
    this.topics.close();
    this.steps.close();
  }
}
