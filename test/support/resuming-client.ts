import { WebSocket } from "ws";
import { pause } from "./until.js";

/**
 * A client of `/ws` that never gives up, like a program that must miss nothing: for each topic it keeps the
 * sequence of the last message, and after any disconnection it resumes with the next one, at any gateway.
 */
export class ResumingClient {
  readonly #urlOfAny: () => string;
  /** The first wanted sequence, by topic. */
  readonly #next: Map<string, number>;
  /** Received sequences, by topic. */
  readonly heard: ReadonlyMap<string, number[]>;
  /** Errors. */
  readonly complaints: string[] = [];
  #socket: WebSocket | undefined;
  #connections = 0;
  #running: Promise<void> | undefined;
  #isOver = false;

  /**
   * @param urlOfAny returns the address of a gateway, perhaps a different one each time
   * @param from the first wanted sequence
   */
  constructor(urlOfAny: () => string, topics: readonly string[], from: number) {
    this.#urlOfAny = urlOfAny;
    this.#next = new Map(topics.map((topic) => [topic, from]));
    this.heard = new Map(topics.map((topic) => [topic, []]));
  }

  /** Connections made so far. */
  get connections(): number {
    return this.#connections;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Drops the connection, as if a cable were pulled; it reconnects by itself. */
  drop(): void {
    this.#socket?.terminate();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.drop();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      await this.#connect();
      await pause(1);
    }
  }

  /** Resolves when the connection has ended. */
  #connect(): Promise<void> {
    const socket = new WebSocket(this.#urlOfAny());
    this.#socket = socket;
    return new Promise((resolve) => {
      socket.on("error", () => undefined);
      socket.on("close", () => resolve());
      socket.on("message", (data) => {
        const { uid, topic, data: body, sequence } = JSON.parse(data.toString());
        if (uid !== undefined) this.#subscribe(socket, uid);
        else if (topic === "error") this.#rejected(socket, body);
        else this.#hear(topic, sequence);
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

  #hear(topic: string, sequence: number): void {
    const next = this.#next.get(topic);
    if (next === undefined) this.complaints.push(`received ${topic}, which was not subscribed`);
    else if (sequence < next) this.complaints.push(`received ${sequence} on ${topic} again or too late`);
    this.#next.set(topic, sequence + 1);
    this.heard.get(topic)?.push(sequence);
  }
}
