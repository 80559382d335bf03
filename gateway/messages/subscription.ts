import type { ApiError } from "../../schema/services/errors.js";
import type { RenderedEvent } from "./rendered-event.js";
import type { Topic } from "./topic.js";

/** An event of a canonical topic. */
export interface TopicEvent {
  /** Of the topic, see {@link Topic}. */
  readonly key: string;
  readonly event: RenderedEvent;
}

/** A connection, as seen by a topic. */
export interface Subscriber {
  /** Delivers an event to its subscriptions to the topic, however each of them spells it. */
  deliver(message: TopicEvent, subscriptions: readonly Subscription[]): void;
  /** The subscription was rejected and has ended. */
  rejected(subscription: Subscription, error: ApiError): void;
  /** The topic ended unexpectedly; messages may have been missed. */
  brokeOff(subscription: Subscription): void;
}

/** A topic that a connection has subscribed to. */
export class Subscription {
  readonly topic: Topic;
  readonly subscriber: Subscriber;
  /** False once the client has unsubscribed, or it was ended: its queued messages are not sent. */
  isOpen = true;

  constructor(topic: Topic, subscriber: Subscriber) {
    this.topic = topic;
    this.subscriber = subscriber;
  }
}
