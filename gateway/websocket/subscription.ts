import type { ApiError } from "../../schema/services/errors.js";
import type { RenderedEvent } from "./rendered-event.js";
import type { Topic } from "./topic.js";

/** An event of a canonical topic. */
export interface TopicEvent {
  /** Of the topic, see {@link Topic}. */
  readonly key: string;
  readonly event: RenderedEvent;
}

/** A connection, as a feed sees it. */
export interface Subscriber {
  /** Takes an event for its subscriptions to the topic, however each of them spells it. */
  deliver(message: TopicEvent, subscriptions: readonly Subscription[]): void;
  /** The subscription was rejected and is over. */
  rejected(subscription: Subscription, error: ApiError): void;
  /** The feed broke off and is over; messages may have been missed. */
  brokeOff(subscription: Subscription): void;
}

/** A topic that a connection has subscribed to. */
export class Subscription {
  readonly topic: Topic;
  readonly subscriber: Subscriber;
  /** False once the client has left it, or it was ended: what is pending for it is not sent. */
  isOpen = true;

  constructor(topic: Topic, subscriber: Subscriber) {
    this.topic = topic;
    this.subscriber = subscriber;
  }
}
