import { Publisher } from "zeromq";

/** Publishes any frames as the broker of a node does, over a real socket. */
export class TestBroker {
  readonly url: string;
  readonly #socket: Publisher;
  #subscribers = 0;

  private constructor(socket: Publisher) {
    this.#socket = socket;
    this.url = socket.lastEndpoint ?? "";
    socket.events.on("handshake", () => {
      this.#subscribers += 1;
    });
    socket.events.on("disconnect", () => {
      this.#subscribers -= 1;
    });
  }

  /** @param url where to listen; by default a free port of this machine */
  static async bind(url = "tcp://127.0.0.1:*"): Promise<TestBroker> {
    const socket = new Publisher({ linger: 0, sendHighWaterMark: 0 });
    await socket.bind(url);
    return new TestBroker(socket);
  }

  /** Connections of subscribers. */
  get subscribers(): number {
    return this.#subscribers;
  }

  async publish(...messages: (readonly Buffer[])[]): Promise<void> {
    for (const frames of messages) await this.#socket.send([...frames]);
  }

  /** Cuts all connections and frees the port. */
  close(): void {
    this.#socket.close();
  }
}
