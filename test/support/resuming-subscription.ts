import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { Resuming } from "./resuming.js";

interface Event {
  readonly sequence: number;
}

/** A client of GraphQL subscriptions that resumes after the last event of each topic. */
export class ResumingSubscription extends Resuming {
  readonly #url: string;
  readonly #token: string;
  #socket: WebSocket | undefined;

  constructor(url: string, token: string, topics: readonly string[]) {
    super(topics);
    this.#url = url;
    this.#token = token;
  }

  drop(): void {
    this.#socket?.terminate();
  }

  protected async connect(): Promise<void> {
    const headers = { authorization: `Bearer ${this.#token}` };
    const connected = (socket: WebSocket) => {
      this.#socket = socket;
      if (this.isOver) socket.terminate();
    };
    class AuthorizedSocket extends WebSocket {
      constructor(address: string, protocols: string | string[]) {
        super(address, protocols, { headers });
        connected(this);
      }
    }
    const client = createClient({ url: this.#url, webSocketImpl: AuthorizedSocket, retryAttempts: 0 });
    await Promise.all([...this.heard].map(([topic, sequences]) => this.#listen(client, topic, sequences)));
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
