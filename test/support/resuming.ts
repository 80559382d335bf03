import { pause } from "./until.js";

/** A client that never gives up, like a program that must miss nothing: after any disconnection it connects again. */
export abstract class Resuming {
  /** Received sequences, by topic. */
  readonly received: ReadonlyMap<string, number[]>;
  /** What should not have happened. */
  readonly complaints: string[] = [];
  #running: Promise<void> | undefined;
  #hasEnded = false;

  constructor(topics: readonly string[]) {
    this.received = new Map(topics.map((topic) => [topic, []]));
  }

  /** Drops the connection, as if a cable were pulled; it reconnects by itself. */
  abstract drop(): void;

  /** Resolves when the connection has ended. */
  protected abstract connect(): Promise<void>;

  protected get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The newest received sequence of a topic; 0 if there is none. */
  protected newestOf(topic: string): number {
    return this.received.get(topic)?.at(-1) ?? 0;
  }

  protected take(topic: string, sequence: number): void {
    const sequences = this.received.get(topic);
    if (!sequences) this.complaints.push(`received ${topic}, which was not requested`);
    else if (sequence <= this.newestOf(topic)) {
      this.complaints.push(`received ${sequence} on ${topic} again or too late`);
    } else sequences.push(sequence);
  }

  /** A gateway without its database reports that; the next attempt may reach another one. */
  protected takeError(code: unknown, message: string): void {
    if (code !== "ServiceUnavailable") this.complaints.push(`${code}: ${message}`);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#hasEnded = true;
    this.drop();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#hasEnded) {
      await this.connect();
      await pause(1);
    }
  }
}
