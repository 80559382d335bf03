import { Publisher } from "zeromq";

/** Publishes any frames as the broker of a node does, over a real socket. */
export class TestBroker {
  readonly #socket: Publisher;
  #subscribers = 0;

  private constructor(socket: Publisher) {
    this.#socket = socket;
    void this.#countSubscribers();
  }

  /** @param url to listen on; by default a free port of this machine */
  static async bind(url = "tcp://127.0.0.1:*"): Promise<TestBroker> {
    const socket = new Publisher({ linger: 0, sendHighWaterMark: 0 });
    // Before the first connection, so that all are counted.
    const broker = new TestBroker(socket);
    await socket.bind(url);
    return broker;
  }

  get url(): string {
    return this.#socket.lastEndpoint ?? "";
  }

  /** Connections of subscribers. */
  get subscribers(): number {
    return this.#subscribers;
  }

  async publish(...messages: (readonly Buffer[])[]): Promise<void> {
    for (const frames of messages) await this.#socket.send([...frames]);
  }

  async #countSubscribers(): Promise<void> {
    for await (const { type } of this.#socket.events) {
      if (type === "handshake") this.#subscribers += 1;
      if (type === "disconnect") this.#subscribers -= 1;
    }
  }

  /** Cuts all connections and frees the port. */
  close(): void {
    this.#socket.close();
  }
}
