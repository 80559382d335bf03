import { EventStreamClient, type ReceivedEvent } from "./event-stream-client.js";
import { pause } from "./until.js";

/** Longer than any test. */
const LONGEST_STREAM_MS = 3_600_000;

/**
 * A client of `/events` that never gives up, as a browser with retries: it resumes after the last id that it received,
 * at any gateway. What it receives again must have that id.
 */
export class ResumingStream {
  readonly #urlOfAny: (topics: readonly string[]) => string;
  readonly #topics: readonly string[];
  /** Sequences by topic. */
  readonly heard: ReadonlyMap<string, number[]>;
  /** What should not have happened. */
  readonly complaints: string[] = [];
  #stream: EventStreamClient | undefined;
  #lastEventId: string;
  /** The id that the present connection resumed after. */
  #resumedAfter = 0;
  #newest = 0;
  #connections = 0;
  #duplicates = 0;
  #running: Promise<void> | undefined;
  #isOver = false;

  /** @param urlOfAny gives the address of these topics at a gateway, another one each time perhaps */
  constructor(urlOfAny: (topics: readonly string[]) => string, topics: readonly string[]) {
    this.#urlOfAny = urlOfAny;
    this.#topics = topics;
    this.heard = new Map(topics.map((topic) => [topic, []]));
    this.#lastEventId = "0";
  }

  get connections(): number {
    return this.#connections;
  }

  /** Messages received again, with the id after which a connection resumed. */
  get duplicates(): number {
    return this.#duplicates;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Loses the connection; it comes back by itself. */
  drop(): void {
    this.#stream?.close();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.drop();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      this.#resumedAfter = Number(this.#lastEventId);
      const headers = { "last-event-id": this.#lastEventId };
      const stream = EventStreamClient.open(this.#urlOfAny(this.#topics), headers, (event) => this.#hear(event));
      this.#stream = stream;
      await stream.ended(LONGEST_STREAM_MS);
      const { statusCode } = stream.response ?? {};
      if (statusCode === 200) this.#connections += 1;
      else if (statusCode !== undefined && statusCode !== 503) this.complaints.push(`${statusCode} ${stream.text}`);
      // A browser takes over an id when its event is complete, also from events without data.
      this.#lastEventId = stream.parser.lastEventId || this.#lastEventId;
      await pause(1);
    }
  }

  #hear({ id, data }: ReceivedEvent): void {
    const { topic, sequence, data: body } = JSON.parse(data);
    const heard = this.heard.get(topic);
    if (topic === "error") {
      if (body.code !== "ServiceUnavailable") this.complaints.push(data);
    } else if (!heard) this.complaints.push(`heard ${topic}, which was not requested`);
    else if (id !== String(sequence)) this.complaints.push(`${sequence} has the id ${id}`);
    else if (heard.at(-1) === sequence && sequence === this.#resumedAfter) this.#duplicates += 1;
    else if (sequence < this.#newest || sequence <= (heard.at(-1) ?? 0)) {
      this.complaints.push(`heard ${sequence} on ${topic} again or too late`);
    } else {
      heard.push(sequence);
      this.#newest = sequence;
    }
  }
}
