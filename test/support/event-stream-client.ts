import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { until } from "./until.js";

/** An event of a stream, as a browser would dispatch it; one without data only sets the id. */
export interface ReceivedEvent {
  readonly id: string;
  readonly data: string;
}

/** A parser of server-sent events (HTML, "Interpreting an event stream"), for streams whose lines end with \n. */
export class EventParser {
  #rest = "";
  #id = "";
  #data: string[] = [];

  /** Id of the last complete event: what a browser sends as Last-Event-ID. */
  lastEventId = "";

  /** @returns the events that a piece of the stream completes */
  read(text: string): ReceivedEvent[] {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#readLine(line));
  }

  #readLine(line: string): ReceivedEvent[] {
    const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (field === "id") this.#id = value;
    else if (field === "data") this.#data.push(value);
    if (line !== "") return [];
    this.lastEventId = this.#id;
    const data = this.#data.splice(0).join("\n");
    return data === "" ? [] : [{ id: this.#id, data }];
  }
}

/** One response of `/events` over a connection of its own. */
export class EventStreamClient {
  readonly parser = new EventParser();
  readonly events: ReceivedEvent[] = [];
  /** What arrived, as text. */
  text = "";
  response: IncomingMessage | undefined;
  isClosed = false;
  readonly #request: ClientRequest;

  private constructor(url: string, headers: Readonly<Record<string, string>>, onEvent: (event: ReceivedEvent) => void) {
    this.#request = request(url, { headers: { accept: "text/event-stream", ...headers }, agent: false });
    this.#request.on("error", () => undefined);
    this.#request.on("close", () => {
      this.isClosed = true;
    });
    this.#request.on("response", (response) => {
      this.response = response;
      response.setEncoding("utf8");
      response.on("error", () => undefined);
      response.on("data", (text: string) => {
        this.text += text;
        if (response.statusCode !== 200) return;
        for (const event of this.parser.read(text)) {
          this.events.push(event);
          onEvent(event);
        }
      });
    });
    this.#request.end();
  }

  static open(
    url: string,
    headers: Readonly<Record<string, string>> = {},
    onEvent: (event: ReceivedEvent) => void = () => undefined,
  ): EventStreamClient {
    return new EventStreamClient(url, headers, onEvent);
  }

  /** Waits for the headers, and for the first bytes of a stream. */
  async opened(): Promise<IncomingMessage> {
    await until(() => this.isClosed || this.text !== "", "the stream has begun");
    if (!this.response) throw new Error("The stream was not answered");
    return this.response;
  }

  /** Waits for this number of events, and returns all messages. @throws Error if the stream ends before */
  async messages(count: number): Promise<{ topic: string; sequence: number; data: { n?: number; code?: string } }[]> {
    const { events } = this;
    const hasEnded = () => events.length >= count || this.isClosed;
    await until(hasEnded, () => `${count} events, there are ${events.length}`);
    if (events.length < count) throw new Error(`The stream ended after ${events.length} of ${count} events`);
    return events.map(({ data }) => JSON.parse(data));
  }

  async ended(timeoutMs?: number): Promise<void> {
    await until(() => this.isClosed, "the stream has ended", timeoutMs);
  }

  /** Stops and resumes reading. */
  pause(): void {
    this.response?.pause();
  }

  /** Cuts the connection. */
  close(): void {
    this.#request.destroy();
  }
}
