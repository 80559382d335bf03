import { type DocumentNode, type ExecutionResult, type GraphQLSchema, parse, subscribe, validate } from "graphql";
import type { Logger } from "pino";
import { type ChannelName, channels } from "../../schema/events/channels.js";
import type { ApiError } from "../../schema/services/errors.js";
import { toApiError } from "../../schema/services/failure.js";
import { Outbox } from "./outbox.js";
import type { Subscriber, Subscription } from "./subscription.js";
import type { Topic } from "./topic.js";

export interface FeedsOptions {
  readonly schema: GraphQLSchema;
  /** Context of the GraphQL subscriptions. */
  readonly contextValue: unknown;
  readonly log: Logger;
}

/** One GraphQL subscription and the connections that share it. */
interface Feed {
  readonly topic: Topic;
  /** A connection has several subscriptions if it spells the topic in several ways. */
  readonly subscribers: Map<Subscriber, readonly Subscription[]>;
  results?: AsyncIterableIterator<ExecutionResult>;
  /** Settles when it is subscribed, or was rejected. */
  opened: Promise<void>;
}

/** The result of each channel's operation for an event. */
interface ChannelEvent {
  readonly sequence: number;
  /** JSON text. */
  readonly document: string;
}

/** One GraphQL subscription per topic in use, however it is spelled, executed in this process. */
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

  /** Number of topics in use. */
  get size(): number {
    return this.#feeds.size;
  }

  /** Whether every event that the feeds have received was delivered. */
  get isDelivered(): boolean {
    return this.#outbox.isEmpty;
  }

  /**
   * Adds a subscription; the first one to a topic opens its feed.
   * @returns when every later event is delivered, or the subscription was rejected
   */
  join(subscription: Subscription): Promise<void> {
    const { topic, subscriber } = subscription;
    let feed = this.#feeds.get(topic.key);
    if (!feed) {
      feed = { topic, subscribers: new Map(), opened: Promise.resolve() };
      this.#feeds.set(topic.key, feed);
      feed.opened = this.#start(feed);
    }
    feed.subscribers.set(subscriber, [...(feed.subscribers.get(subscriber) ?? []), subscription]);
    return feed.opened;
  }

  /** Removes a subscription; the last one to a topic closes its feed. */
  leave(subscription: Subscription): void {
    const { topic, subscriber } = subscription;
    const feed = this.#feeds.get(topic.key);
    const subscriptions = feed?.subscribers.get(subscriber);
    if (!feed || !subscriptions?.includes(subscription)) return;
    const left = subscriptions.filter((other) => other !== subscription);
    if (left.length > 0) feed.subscribers.set(subscriber, left);
    else feed.subscribers.delete(subscriber);
    if (feed.subscribers.size === 0) this.#close(feed);
  }

  /** Removes all subscriptions of a connection to a topic. */
  leaveAll(key: string, subscriber: Subscriber): void {
    const feed = this.#feeds.get(key);
    if (feed?.subscribers.delete(subscriber) && feed.subscribers.size === 0) this.#close(feed);
  }

  /** Closes every feed without notifying its subscribers. */
  close(): void {
    this.#outbox.close();
    for (const feed of this.#feeds.values()) {
      feed.subscribers.clear();
      void feed.results?.return?.();
    }
    this.#feeds.clear();
  }

  #close(feed: Feed): void {
    this.#feeds.delete(feed.topic.key);
    void feed.results?.return?.();
  }

  async #start(feed: Feed): Promise<void> {
    const { topic, subscribers } = feed;
    try {
      feed.results = await this.#open(topic);
    } catch (error) {
      const rejection = this.#rejection(error, topic);
      this.#end(feed, (subscription) => subscription.subscriber.rejected(subscription, rejection));
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
        this.#outbox.add(topic.key, sequence, document, subscribers);
      }
    } catch (error) {
      this.#options.log.error({ err: error, channel: topic.channel }, "Channel ended unexpectedly");
    }
    this.#end(feed, (subscription) => subscription.subscriber.brokeOff(subscription));
  }

  async #open(topic: Topic): Promise<AsyncIterableIterator<ExecutionResult>> {
    const { schema, contextValue } = this.#options;
    const document = this.#operations.get(topic.channel)!;
    const variableValues = topic.address === undefined ? {} : { address: topic.address };
    const results = await subscribe({ schema, document, contextValue, variableValues });
    if (Symbol.asyncIterator in results) return results;
    throw results.errors?.[0] ?? new Error(`The channel ${topic.channel} was rejected without a reason`);
  }

  #rejection(error: unknown, { channel }: Topic): ApiError {
    const rejection = toApiError(error);
    if (rejection.cause) this.#options.log.error({ err: rejection.cause, channel }, "Opening a channel failed");
    return rejection;
  }

  #end({ topic, subscribers }: Feed, notify: (subscription: Subscription) => void): void {
    // The topic of a feed that all have left may have been opened again.
    if (subscribers.size === 0) return;
    this.#feeds.delete(topic.key);
    const ended = [...subscribers.values()].flat();
    subscribers.clear();
    for (const subscription of ended) notify(subscription);
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
    if (error) throw new Error(`The schema does not match the channel ${name}: ${error.message}`);
    operations.set(name as ChannelName, document);
  }
  return operations;
}

function eventOf(channel: ChannelName, { data, errors }: ExecutionResult): ChannelEvent {
  const event = data?.[channel] as ChannelEvent | null | undefined;
  if (event) return event;
  throw errors?.[0] ?? new Error(`The channel ${channel} returned no event`);
}
