import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** The lost part of a COMMIT: its answer (it took effect), or the request (it did not). The connection is lost too. */
export type Loss = "answer" | "request";

const COMMIT = /\bcommit\b/i;
/** The server has committed by then, in ms. */
const COMMITTING_MS = 200;

/** A TCP port that leads to a database, and loses messages on request. */
export class LossyDatabase {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #target: URL;
  #losses: Loss[] = [];
  /** Number of lost commits. */
  lost = 0;

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
  }

  static async open(databaseUrl: string): Promise<LossyDatabase> {
    const server = createServer();
    const lossy = new LossyDatabase(server, new URL(databaseUrl));
    server.on("connection", (client) => lossy.#relay(client));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return lossy;
  }

  /** The same database, by way of this port. */
  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Loses this part of the next commits, one after the other. */
  lose(...losses: Loss[]): void {
    this.#losses = losses;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #relay(client: Socket): void {
    const database = connect(Number(this.#target.port), this.#target.hostname);
    for (const socket of [client, database]) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => this.#sockets.delete(socket));
    }
    client.on("close", () => database.destroy());
    database.on("close", () => client.destroy());
    database.on("data", (chunk: Buffer) => void client.write(chunk));
    client.on("data", (chunk: Buffer) => {
      const loss = COMMIT.test(chunk.toString("latin1")) ? this.#losses.shift() : undefined;
      if (!loss) return void database.write(chunk);
      this.lost += 1;
      database.removeAllListeners("data").resume();
      if (loss === "request") return void client.destroy();
      database.write(chunk);
      setTimeout(() => client.destroy(), COMMITTING_MS);
    });
  }
}
