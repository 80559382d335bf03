import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import type { Context } from "../../schema/context.js";
import { toApiError } from "../../schema/failure.js";
import { compileOperation, type Operation } from "../operation.js";
import { type Message, renderMessage } from "./outbox.js";
import type { Topic } from "./topic.js";

/** Reads of all connections that run at one time: they share the database's connections with REST. */
const READS_AT_ONCE = 3;

const MISSED_EVENTS = `query ($topics: [TopicInput!]!, $from: SafeInt!) {
  missedEvents(topics: $topics, from: $from) { data { event { sequence document } topics } through isLast }
}`;

/** Messages that were missed, or a part of them. */
export interface MissedMessages {
  /** In the order of their sequences; one for each topic that an event belongs to. */
  readonly messages: readonly Message[];
  /** There are no others up to this sequence. */
  readonly through: number;
  /** Whether the rest comes live. */
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
}

/** Reads what connections missed, by a GraphQL query in this process, a few at a time. */
export class MissedReader {
  readonly #operation: Operation;
  readonly #contextValue: Context;
  readonly #log: Logger;
  readonly #waiting: (() => void)[] = [];
  #reading = 0;

  /** @throws Error when the schema has no such query */
  constructor({ schema, contextValue, log }: MissedReaderOptions) {
    this.#operation = compileOperation(schema, MISSED_EVENTS);
    this.#contextValue = contextValue;
    this.#log = log;
  }

  /**
   * The next messages of the topics, from the sequence `from` on.
   * @throws ApiError: ResumeRangeError when `from` is out of range
   */
  async read(topics: readonly Topic[], from: number): Promise<MissedMessages> {
    if (this.#reading >= READS_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#reading += 1;
    try {
      const wanted = topics.map(({ channel, address }) => ({ channel, address }));
      const { missedEvents } = await this.#operation(this.#contextValue, { topics: wanted, from });
      const { data, through, isLast } = missedEvents as Answer;
      const messages = data.flatMap(({ event: { sequence, document }, topics: places }) =>
        places.map((place) => renderMessage(topics[place]!.text, sequence, document)),
      );
      return { messages, through, isLast };
    } catch (error) {
      const failure = toApiError(error);
      if (failure.cause) this.#log.error({ err: failure.cause }, "missed events could not be read");
      throw failure;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#reading -= 1;
    }
  }
}
