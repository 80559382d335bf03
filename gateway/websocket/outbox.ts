import { textFrame } from "./text-frame.js";

/** A message of a topic. */
export interface Message {
  /** As it was subscribed. */
  readonly topic: string;
  readonly sequence: number;
  /** As it goes over the wire. */
  readonly frame: Buffer;
}

/** Whoever takes messages. */
export interface Receiver {
  deliver(message: Message): void;
}

interface Letter {
  readonly message: Message;
  readonly receivers: Iterable<Receiver>;
}

/** Renders a message. @param data JSON text */
export function renderMessage(topic: string, sequence: number, data: string): Message {
  return {
    topic,
    sequence,
    frame: textFrame(`{"topic":${JSON.stringify(topic)},"data":${data},"sequence":${sequence}}`),
  };
}

/**
 * Sends what the feeds give in the order of the events. Each feed is in order by itself, but they run side by side: a
 * connection with several subscriptions would see the second event of one before the first of another. All feeds have
 * delivered a batch of events when the event loop's turn is over; then it is sorted and sent.
 */
export class Outbox {
  #letters: Letter[] = [];
  #flush: NodeJS.Immediate | undefined;

  /**
   * Sends a message at the end of this turn.
   * @param receivers read when it is sent
   */
  add(message: Message, receivers: Iterable<Receiver>): void {
    this.#letters.push({ message, receivers });
    this.#flush ??= setImmediate(() => this.#send());
  }

  /** Throws away what was not sent yet. */
  close(): void {
    clearImmediate(this.#flush);
    this.#letters = [];
  }

  #send(): void {
    const letters = this.#letters.sort((a, b) => a.message.sequence - b.message.sequence);
    this.#letters = [];
    this.#flush = undefined;
    for (const { message, receivers } of letters) {
      for (const receiver of receivers) receiver.deliver(message);
    }
  }
}
