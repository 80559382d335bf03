import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { Resuming } from "./resuming.js";

interface Event {
  readonly sequence: number;
}

/** A client of GraphQL subscriptions that resumes after the last event of each topic. */
export class ResumingSubscription extends Resuming {
  readonly #urlOfAny: () => string;
  readonly #token: string;
  #socket: WebSocket | undefined;

  /** @param token empty without one */
  constructor(urlOfAny: () => string, topics: readonly string[], token = "") {
    super(topics);
    this.#urlOfAny = urlOfAny;
    this.#token = token;
  }

  drop(): void {
    this.#socket?.terminate();
  }

  protected async connect(): Promise<void> {
    const headers = this.#token ? { authorization: `Bearer ${this.#token}` } : {};
    const connected = (socket: WebSocket) => {
      this.#socket = socket;
      if (this.hasEnded) socket.terminate();
    };
    class AuthorizedSocket extends WebSocket {
      constructor(address: string, protocols: string | string[]) {
        super(address, protocols, { headers });
        connected(this);
      }
    }
    const client = createClient({ url: this.#urlOfAny(), webSocketImpl: AuthorizedSocket, retryAttempts: 0 });
    await Promise.all([...this.received.keys()].map((topic) => this.#listen(client, topic)));
  }

  /** Ends with the connection. */
  async #listen(client: Client, topic: string): Promise<void> {
    const [channel = "", address] = topic.split("/");
    const limited = address === undefined ? "" : `address: "${address}", `;
    const query = `subscription { ${channel}(${limited}from: ${this.newestOf(topic) + 1}) { sequence } }`;
    try {
      for await (const { data, errors } of client.iterate<Record<string, Event>>({ query })) {
        for (const error of errors ?? []) this.#rejected(error);
        const { sequence } = data?.[channel] ?? {};
        if (sequence !== undefined) this.take(topic, sequence);
      }
    } catch (error) {
      // A list of errors is an answer; anything else is the end of the connection.
      if (Array.isArray(error)) for (const one of error) this.#rejected(one);
    } finally {
      this.drop();
    }
  }

  #rejected({ message, extensions }: { message: string; extensions?: Record<string, unknown> }): void {
    this.takeError(extensions?.code, message);
  }
}
