import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { pause } from "./until.js";

interface Event {
  readonly sequence: number;
}

/**
 * A client of GraphQL subscriptions that never gives up: for each topic it keeps the sequence of the last event, and
 * after any disconnection it resumes with the next one.
 */
export class ResumingSubscription {
  readonly #url: string;
  readonly #token: string;
  /** Received sequences, by topic. */
  readonly heard: ReadonlyMap<string, number[]>;
  /** What should not have happened. */
  readonly complaints: string[] = [];
  #socket: WebSocket | undefined;
  #running: Promise<void> | undefined;
  #isOver = false;

  constructor(url: string, token: string, topics: readonly string[]) {
    this.#url = url;
    this.#token = token;
    this.heard = new Map(topics.map((topic) => [topic, []]));
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
      const headers = { authorization: `Bearer ${this.#token}` };
      const connected = (socket: WebSocket) => {
        this.#socket = socket;
        if (this.#isOver) socket.terminate();
      };
      class AuthorizedSocket extends WebSocket {
        constructor(address: string, protocols: string | string[]) {
          super(address, protocols, { headers });
          connected(this);
        }
      }
      const client = createClient({ url: this.#url, webSocketImpl: AuthorizedSocket, retryAttempts: 0 });
      await Promise.all([...this.heard].map(([topic, sequences]) => this.#listen(client, topic, sequences)));
      await pause(1);
    }
  }

  /** Ends with the connection. */
  async #listen(client: Client, topic: string, sequences: number[]): Promise<void> {
    const query = `subscription { ${topic}(from: ${(sequences.at(-1) ?? 0) + 1}) { sequence } }`;
    try {
      for await (const { data, errors } of client.iterate<Record<string, Event>>({ query })) {
        for (const error of errors ?? []) this.#rejected(error);
        const { sequence } = data?.[topic] ?? {};
        if (sequence === undefined) continue;
        if (sequence <= (sequences.at(-1) ?? 0))
          this.complaints.push(`received ${sequence} on ${topic} again or too late`);
        sequences.push(sequence);
      }
    } catch (error) {
      // A list of errors is an answer; anything else is the end of the connection.
      if (Array.isArray(error)) for (const one of error) this.#rejected(one);
    } finally {
      this.drop();
    }
  }

  #rejected({ message, extensions }: { message: string; extensions?: Record<string, unknown> }): void {
    if (extensions?.code !== "ServiceUnavailable") this.complaints.push(`${String(extensions?.code)}: ${message}`);
  }
}
