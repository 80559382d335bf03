import { WebSocket } from "ws";
import { Resuming } from "./resuming.js";

/** A client of `/ws` that resumes after the last message of each topic, at any gateway. */
export class ResumingClient extends Resuming {
  readonly #urlOfAny: () => string;
  #socket: WebSocket | undefined;

  /** @param urlOfAny returns the address of a gateway, perhaps a different one each time */
  constructor(urlOfAny: () => string, topics: readonly string[]) {
    super(topics);
    this.#urlOfAny = urlOfAny;
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
        else if (topic === "error") {
          this.takeError(body.code, body.message);
          socket.terminate();
        } else this.take(topic, sequence);
      });
    });
  }

  #subscribe(socket: WebSocket, uid: string): void {
    for (const subscribe of this.received.keys()) {
      socket.send(JSON.stringify({ uid, subscribe, from: this.newestOf(subscribe) + 1 }));
    }
  }
}
