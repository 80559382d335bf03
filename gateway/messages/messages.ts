import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import type { Context } from "../../schema/graph/context.js";
import type { ApiError } from "../../schema/services/errors.js";
import type { ClientLimits } from "../clients/client-limit.js";
import { FairTurns } from "../clients/fair-turns.js";
import { Feeds } from "./feeds.js";
import { MissedReader } from "./missed.js";
import type { RecipientServices } from "./recipient.js";

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
  readonly feeds: Feeds;
  readonly missed: MissedReader;
  readonly turns = new FairTurns();
  readonly #events: Context["events"];

  /** @throws Error when the schema lacks a channel */
  constructor(options: MessagesOptions) {
    this.feeds = new Feeds(options);
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
   * a turn of the event loop of its own, because feeds receive events in several steps of one turn.
   */
  get deliveredSequence(): number | undefined {
    return this.feeds.isDelivered ? this.sequence : undefined;
  }

  /** Ends every feed. To be called after the connections are closed, and before the event source. */
  close(): void {
    this.feeds.close();
    this.turns.close();
  }
}
