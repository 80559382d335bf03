import type { GraphQLSchema } from "graphql";
import { type ChannelName, channels } from "../../schema/events/channels.js";
import { ResumeRangeError } from "../../schema/events/missed-events.js";
import type { Context } from "../../schema/graph/context.js";
import { compileOperation, type Operation } from "../graphql/operation.js";

const EVENTS = `query ($topics: [TopicInput!]!, $from: SafeInt!) {
  missedEvents(topics: $topics, from: $from) { data { event { sequence document } } }
}`;
/** Larger messages are not shown if there is a smaller one, in characters. */
const LONG = 4_096;

/** A message of a channel that was sent. */
export interface MessageExample {
  readonly topic: ChannelName;
  readonly data: unknown;
  readonly sequence: number;
}

interface Found {
  readonly sequence: number;
  readonly document: string;
}

/** Reads a message of each channel from the retained events; channels without any, or if they cannot be read, have none. */
export class MessageExampleReader {
  readonly #operation: Operation;
  readonly #contextValue: Context;

  /** @throws Error when the schema has no such query */
  constructor(schema: GraphQLSchema, contextValue: Context) {
    this.#operation = compileOperation(schema, EVENTS);
    this.#contextValue = contextValue;
  }

  async read(): Promise<readonly MessageExample[]> {
    const names = Object.keys(channels) as ChannelName[];
    const examples: MessageExample[] = [];
    try {
      const from = await this.#oldest();
      for (const topic of names) {
        const found = await this.#events(topic, from);
        const event = found.find(({ document }) => document.length <= LONG) ?? found[0];
        if (event) examples.push({ topic, data: JSON.parse(event.document), sequence: event.sequence });
      }
    } catch {
      // Without a database there are no examples.
    }
    return examples;
  }

  async #events(channel: ChannelName, from: number): Promise<readonly Found[]> {
    const { missedEvents } = await this.#operation(this.#contextValue, { topics: [{ channel }], from });
    return (missedEvents as { data: { event: Found }[] }).data.map(({ event }) => event);
  }

  /** Sequence of the oldest retained event. */
  async #oldest(): Promise<number> {
    try {
      await this.#events("block", 0);
      return 0;
    } catch (error) {
      const original = (error as { originalError?: unknown }).originalError ?? error;
      if (original instanceof ResumeRangeError) return original.oldest;
      throw error;
    }
  }
}
