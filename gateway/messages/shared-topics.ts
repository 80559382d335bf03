import { type DocumentNode, type ExecutionResult, type GraphQLSchema, parse, subscribe, validate } from "graphql";
import type { Logger } from "pino";
import { type ChannelName, channels } from "../../schema/events/channels.js";
import type { ApiError } from "../../schema/services/errors.js";
import { reportDatabaseLost, toApiError } from "../../schema/services/failure.js";
import { EventQueue } from "./event-queue.js";
import type { Subscriber, Subscription } from "./subscription.js";
import type { Topic } from "./topic.js";

export interface SharedTopicsOptions {
  readonly schema: GraphQLSchema;
  /** Context of the GraphQL subscriptions. */
  readonly contextValue: unknown;
  readonly log: Logger;
}

/** One GraphQL subscription and the connections that share it. */
interface SharedTopic {
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
export class SharedTopics {
  readonly #options: SharedTopicsOptions;
  readonly #operations: ReadonlyMap<ChannelName, DocumentNode>;
  readonly #topics = new Map<string, SharedTopic>();
  readonly #queue = new EventQueue();

  /** @throws Error when the schema lacks a channel */
  constructor(options: SharedTopicsOptions) {
    this.#options = options;
    this.#operations = prepareOperations(options.schema);
  }

  /** Number of topics in use. */
  get size(): number {
    return this.#topics.size;
  }

  /** Whether every event that the topics have received was delivered. */
  get isDelivered(): boolean {
    return this.#queue.isEmpty;
  }

  /**
   * Adds a subscription; the first one to a topic opens its shared.
   * @returns when every later event is delivered, or the subscription was rejected
   */
  join(subscription: Subscription): Promise<void> {
    const { topic, subscriber } = subscription;
    let shared = this.#topics.get(topic.key);
    if (!shared) {
      shared = { topic, subscribers: new Map(), opened: Promise.resolve() };
      this.#topics.set(topic.key, shared);
      shared.opened = this.#start(shared);
    }
    shared.subscribers.set(subscriber, [...(shared.subscribers.get(subscriber) ?? []), subscription]);
    return shared.opened;
  }

  /** Removes a subscription; the last one to a topic closes its shared. */
  leave(subscription: Subscription): void {
    const { topic, subscriber } = subscription;
    const shared = this.#topics.get(topic.key);
    const subscriptions = shared?.subscribers.get(subscriber);
    if (!shared || !subscriptions?.includes(subscription)) return;
    const left = subscriptions.filter((other) => other !== subscription);
    if (left.length > 0) shared.subscribers.set(subscriber, left);
    else shared.subscribers.delete(subscriber);
    if (shared.subscribers.size === 0) this.#close(shared);
  }

  /** Removes all subscriptions of a connection to a topic. */
  leaveAll(key: string, subscriber: Subscriber): void {
    const shared = this.#topics.get(key);
    if (shared?.subscribers.delete(subscriber) && shared.subscribers.size === 0) this.#close(shared);
  }

  /** Closes every topic without notifying its subscribers. */
  close(): void {
    this.#queue.close();
    for (const shared of this.#topics.values()) {
      shared.subscribers.clear();
      void shared.results?.return?.();
    }
    this.#topics.clear();
  }

  #close(shared: SharedTopic): void {
    this.#topics.delete(shared.topic.key);
    void shared.results?.return?.();
  }

  async #start(shared: SharedTopic): Promise<void> {
    const { topic, subscribers } = shared;
    try {
      shared.results = await this.#open(topic);
    } catch (error) {
      const rejection = this.#rejection(error, topic);
      this.#end(shared, (subscription) => subscription.subscriber.rejected(subscription, rejection));
      return;
    }
    if (subscribers.size === 0) void shared.results.return?.();
    else void this.#run(shared, shared.results);
  }

  async #run(shared: SharedTopic, results: AsyncIterableIterator<ExecutionResult>): Promise<void> {
    const { topic, subscribers } = shared;
    try {
      for await (const result of results) {
        const { sequence, document } = eventOf(topic.channel, result);
        this.#queue.add(topic.key, sequence, document, subscribers);
      }
    } catch (error) {
      this.#options.log.error({ err: error, channel: topic.channel }, "Channel ended unexpectedly");
    }
    this.#end(shared, (subscription) => subscription.subscriber.brokeOff(subscription));
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
    const { cause } = rejection;
    const { log } = this.#options;
    if (cause && !reportDatabaseLost(log, cause, { channel }))
      log.error({ err: cause, channel }, "Opening a channel failed");
    return rejection;
  }

  #end({ topic, subscribers }: SharedTopic, notify: (subscription: Subscription) => void): void {
    // A topic that all have left may have been opened again.
    if (subscribers.size === 0) return;
    this.#topics.delete(topic.key);
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
