/** Whoever takes messages. */
export interface Receiver {
  send(message: Buffer): void;
}

interface Letter {
  readonly sequence: number;
  readonly message: Buffer;
  readonly receivers: Iterable<Receiver>;
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
  add(sequence: number, message: Buffer, receivers: Iterable<Receiver>): void {
    this.#letters.push({ sequence, message, receivers });
    this.#flush ??= setImmediate(() => this.#send());
  }

  /** Throws away what was not sent yet. */
  close(): void {
    clearImmediate(this.#flush);
    this.#letters = [];
  }

  #send(): void {
    const letters = this.#letters.sort((a, b) => a.sequence - b.sequence);
    this.#letters = [];
    this.#flush = undefined;
    for (const { message, receivers } of letters) {
      for (const receiver of receivers) receiver.send(message);
    }
  }
}
