import { type DocumentNode, type ExecutionResult, type GraphQLSchema, parse, subscribe, validate } from "graphql";
import type { Logger } from "pino";
import { type ChannelName, channels } from "../../schema/channels.js";
import type { ApiError } from "../../schema/errors.js";
import { toApiError } from "../../schema/failure.js";
import { Outbox, type Receiver, renderMessage } from "./outbox.js";
import type { Topic } from "./topic.js";

/** A connection, as a feed sees it. */
export interface Subscriber extends Receiver {
  /** The subscription was refused and is over. */
  refused(topic: string, error: ApiError): void;
  /** The feed broke off and is over; messages may have been missed. */
  brokeOff(topic: string): void;
}

export interface FeedsOptions {
  readonly schema: GraphQLSchema;
  /** Context of the GraphQL subscriptions. */
  readonly contextValue: unknown;
  readonly log: Logger;
}

/** One GraphQL subscription and the connections that share it. */
interface Feed {
  readonly topic: Topic;
  readonly subscribers: Set<Subscriber>;
  results?: AsyncIterableIterator<ExecutionResult>;
  /** Settles when it listens, or was refused. */
  opened: Promise<void>;
}

/** What each channel's operation answers for an event. */
interface ChannelEvent {
  readonly sequence: number;
  /** JSON text. */
  readonly document: string;
}

/** One GraphQL subscription for each topic in use, executed in this process; each of its events is rendered once. */
export class Feeds {
  readonly #options: FeedsOptions;
  readonly #operations: ReadonlyMap<ChannelName, DocumentNode>;
  readonly #feeds = new Map<string, Feed>();
  readonly #outbox = new Outbox();

  /** @throws Error when the schema lacks a channel */
  constructor(options: FeedsOptions) {
    this.#options = options;
    this.#operations = prepareOperations(options.schema);
  }

  /** Topics in use. */
  get size(): number {
    return this.#feeds.size;
  }

  /**
   * Adds a subscriber to a topic; the first one opens its feed.
   * @returns when every event from then on is given, or the subscription was refused
   */
  join(topic: Topic, subscriber: Subscriber): Promise<void> {
    let feed = this.#feeds.get(topic.text);
    if (!feed) {
      feed = { topic, subscribers: new Set<Subscriber>(), opened: Promise.resolve() };
      this.#feeds.set(topic.text, feed);
      feed.opened = this.#start(feed);
    }
    feed.subscribers.add(subscriber);
    return feed.opened;
  }

  /** Takes a subscriber away from a topic; the last one closes its feed. */
  leave(topic: string, subscriber: Subscriber): void {
    const feed = this.#feeds.get(topic);
    if (!feed?.subscribers.delete(subscriber) || feed.subscribers.size > 0) return;
    this.#feeds.delete(topic);
    void feed.results?.return?.();
  }

  /** Closes every feed, without a word to its subscribers. */
  close(): void {
    this.#outbox.close();
    for (const feed of this.#feeds.values()) {
      feed.subscribers.clear();
      void feed.results?.return?.();
    }
    this.#feeds.clear();
  }

  async #start(feed: Feed): Promise<void> {
    const { topic, subscribers } = feed;
    try {
      feed.results = await this.#open(topic);
    } catch (error) {
      const refusal = this.#refusal(error, topic);
      this.#end(feed, (subscriber) => subscriber.refused(topic.text, refusal));
      return;
    }
    if (subscribers.size === 0) void feed.results.return?.();
    else void this.#run(feed, feed.results);
  }

  async #run(feed: Feed, results: AsyncIterableIterator<ExecutionResult>): Promise<void> {
    const { topic, subscribers } = feed;
    try {
      for await (const result of results) {
        const { sequence, document } = eventOf(topic.channel, result);
        this.#outbox.add(renderMessage(topic.text, sequence, document), subscribers);
      }
    } catch (error) {
      this.#options.log.error({ err: error, channel: topic.channel }, "a channel broke off");
    }
    this.#end(feed, (subscriber) => subscriber.brokeOff(topic.text));
  }

  async #open(topic: Topic): Promise<AsyncIterableIterator<ExecutionResult>> {
    const { schema, contextValue } = this.#options;
    const document = this.#operations.get(topic.channel)!;
    const variableValues = topic.address === undefined ? {} : { address: topic.address };
    const results = await subscribe({ schema, document, contextValue, variableValues });
    if (Symbol.asyncIterator in results) return results;
    throw results.errors?.[0] ?? new Error(`The channel ${topic.channel} was refused without a reason`);
  }

  #refusal(error: unknown, { channel }: Topic): ApiError {
    const refusal = toApiError(error);
    if (refusal.cause) this.#options.log.error({ err: refusal.cause, channel }, "a channel could not be opened");
    return refusal;
  }

  #end({ topic, subscribers }: Feed, tell: (subscriber: Subscriber) => void): void {
    // Of a feed that was left by all, the topic may have been opened anew.
    if (subscribers.size === 0) return;
    this.#feeds.delete(topic.text);
    const told = [...subscribers];
    subscribers.clear();
    for (const subscriber of told) tell(subscriber);
  }
}

function prepareOperations(schema: GraphQLSchema): ReadonlyMap<ChannelName, DocumentNode> {
  const operations = new Map<ChannelName, DocumentNode>();
  for (const [name, { addressed }] of Object.entries(channels)) {
    const operation = addressed
      ? `subscription ($address: String) { ${name}(address: $address) { sequence document } }`
      : `subscription { ${name} { sequence document } }`;
    const document = parse(operation);
    const [error] = validate(schema, document);
    if (error) throw new Error(`The schema does not fit the channel ${name}: ${error.message}`);
    operations.set(name as ChannelName, document);
  }
  return operations;
}

function eventOf(channel: ChannelName, { data, errors }: ExecutionResult): ChannelEvent {
  const event = data?.[channel] as ChannelEvent | null | undefined;
  if (event) return event;
  throw errors?.[0] ?? new Error(`The channel ${channel} gave no event`);
}
