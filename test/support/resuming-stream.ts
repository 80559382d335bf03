import { EventStreamClient, type ReceivedEvent } from "./event-stream-client.js";
import { Resuming } from "./resuming.js";

/** Longer than any test. */
const LONGEST_STREAM_MS = 3_600_000;

/**
 * A client of `/events` that resumes after the last id that it received, as a browser does, at any gateway. What it
 * receives again must have that id.
 */
export class ResumingStream extends Resuming {
  readonly #urlOfAny: () => string;
  #stream: EventStreamClient | undefined;
  #lastEventId = "0";
  /** The id that the present connection resumed after. */
  #resumedAfter = 0;
  #newest = 0;

  /** @param urlOfAny gives the address of the topics at a gateway, another one each time perhaps */
  constructor(urlOfAny: () => string, topics: readonly string[]) {
    super(topics);
    this.#urlOfAny = urlOfAny;
  }

  drop(): void {
    this.#stream?.close();
  }

  protected async connect(): Promise<void> {
    this.#resumedAfter = Number(this.#lastEventId);
    const headers = { "last-event-id": this.#lastEventId };
    const stream = EventStreamClient.open(this.#urlOfAny(), headers, (event) => this.#receive(event));
    this.#stream = stream;
    await stream.ended(LONGEST_STREAM_MS);
    const { statusCode } = stream.response ?? {};
    if (statusCode !== undefined && ![200, 503].includes(statusCode)) this.takeError(statusCode, stream.text);
    // A browser takes over an id when its event is complete, also from events without data.
    this.#lastEventId = stream.parser.lastEventId || this.#lastEventId;
  }

  #receive({ id, data }: ReceivedEvent): void {
    const { topic, sequence, data: body } = JSON.parse(data);
    if (topic === "error") {
      this.takeError(body.code, data);
      return;
    }
    if (id !== String(sequence)) this.complaints.push(`${sequence} has the id ${id}`);
    if (sequence === this.newestOf(topic) && sequence === this.#resumedAfter) return;
    if (sequence < this.#newest) this.complaints.push(`received ${sequence} on ${topic} too late`);
    this.#newest = sequence;
    this.take(topic, sequence);
  }
}
