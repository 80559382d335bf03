import { WebSocket } from "ws";
import { Resuming } from "./resuming.js";

/** A client of `/ws` that resumes after the last message of each topic, at any gateway. */
export class ResumingClient extends Resuming {
  readonly #urlOfAny: () => string;
  /** The first wanted sequence, by topic. */
  readonly #next: Map<string, number>;
  #socket: WebSocket | undefined;
  #connections = 0;

  /**
   * @param urlOfAny returns the address of a gateway, perhaps a different one each time
   * @param from the first wanted sequence
   */
  constructor(urlOfAny: () => string, topics: readonly string[], from: number) {
    super(topics);
    this.#urlOfAny = urlOfAny;
    this.#next = new Map(topics.map((topic) => [topic, from]));
  }

  /** Connections made so far. */
  get connections(): number {
    return this.#connections;
  }

  drop(): void {
    this.#socket?.terminate();
  }

  protected connect(): Promise<void> {
    const socket = new WebSocket(this.#urlOfAny());
    this.#socket = socket;
    return new Promise((resolve) => {
      socket.on("error", () => undefined);
      socket.on("close", () => resolve());
      socket.on("message", (data) => {
        const { uid, topic, data: body, sequence } = JSON.parse(data.toString());
        if (uid !== undefined) this.#subscribe(socket, uid);
        else if (topic === "error") this.#rejected(socket, body);
        else this.#receive(topic, sequence);
      });
    });
  }

  #subscribe(socket: WebSocket, uid: string): void {
    this.#connections += 1;
    for (const [subscribe, from] of this.#next) socket.send(JSON.stringify({ uid, subscribe, from }));
  }

  /** A gateway without its database reports that; the next attempt may reach another one. */
  #rejected(socket: WebSocket, { code, message }: { code: string; message: string }): void {
    if (code !== "ServiceUnavailable") this.complaints.push(`${code}: ${message}`);
    socket.terminate();
  }

  #receive(topic: string, sequence: number): void {
    const next = this.#next.get(topic);
    if (next === undefined) this.complaints.push(`received ${topic}, which was not subscribed`);
    else if (sequence < next) this.complaints.push(`received ${sequence} on ${topic} again or too late`);
    this.#next.set(topic, sequence + 1);
    this.received.get(topic)?.push(sequence);
  }
}
