import { EventStreamClient, type ReceivedEvent } from "./event-stream-client.js";
import { Resuming } from "./resuming.js";

/** Longer than any test. */
const LONGEST_STREAM_MS = 3_600_000;

/**
 * A client of `/events` that resumes after the last id that it received, as a browser does, at any gateway. What it
 * receives again must have that id.
 */
export class ResumingStream extends Resuming {
  readonly #urlOfAny: (topics: readonly string[]) => string;
  readonly #topics: readonly string[];
  #stream: EventStreamClient | undefined;
  #lastEventId: string;
  /** The id that the present connection resumed after. */
  #resumedAfter = 0;
  #newest = 0;
  #connections = 0;
  #duplicates = 0;

  /** @param urlOfAny gives the address of these topics at a gateway, another one each time perhaps */
  constructor(urlOfAny: (topics: readonly string[]) => string, topics: readonly string[]) {
    super(topics);
    this.#urlOfAny = urlOfAny;
    this.#topics = topics;
    this.#lastEventId = "0";
  }

  get connections(): number {
    return this.#connections;
  }

  /** Messages received again, with the id after which a connection resumed. */
  get duplicates(): number {
    return this.#duplicates;
  }

  drop(): void {
    this.#stream?.close();
  }

  protected async connect(): Promise<void> {
    this.#resumedAfter = Number(this.#lastEventId);
    const headers = { "last-event-id": this.#lastEventId };
    const stream = EventStreamClient.open(this.#urlOfAny(this.#topics), headers, (event) => this.#receive(event));
    this.#stream = stream;
    await stream.ended(LONGEST_STREAM_MS);
    const { statusCode } = stream.response ?? {};
    if (statusCode === 200) this.#connections += 1;
    else if (statusCode !== undefined && statusCode !== 503) this.complaints.push(`${statusCode} ${stream.text}`);
    // A browser takes over an id when its event is complete, also from events without data.
    this.#lastEventId = stream.parser.lastEventId || this.#lastEventId;
  }

  #receive({ id, data }: ReceivedEvent): void {
    const { topic, sequence, data: body } = JSON.parse(data);
    const received = this.received.get(topic);
    if (topic === "error") {
      if (body.code !== "ServiceUnavailable") this.complaints.push(data);
    } else if (!received) this.complaints.push(`received ${topic}, which was not requested`);
    else if (id !== String(sequence)) this.complaints.push(`${sequence} has the id ${id}`);
    else if (received.at(-1) === sequence && sequence === this.#resumedAfter) this.#duplicates += 1;
    else if (sequence < this.#newest || sequence <= (received.at(-1) ?? 0)) {
      this.complaints.push(`received ${sequence} on ${topic} again or too late`);
    } else {
      received.push(sequence);
      this.#newest = sequence;
    }
  }
}
