import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP port that leads to the database: it can be closed, or fall silent as a network that is cut without a reset. */
export class DatabaseRelay {
  readonly #target: URL;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #server = createServer();
  #port = 0;
  #isSilent = false;

  private constructor(target: URL) {
    this.#target = target;
  }

  /** @param target URL of the server's database */
  static async open(target: URL): Promise<DatabaseRelay> {
    const relay = new DatabaseRelay(target);
    await relay.reopen();
    return relay;
  }

  /** The same database, by way of this port. */
  through(url: string): string {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${this.#port}`;
    return changed.href;
  }

  async reopen(): Promise<void> {
    this.#server = createServer((client) => {
      const pair = [client, connect(Number(this.#target.port), this.#target.hostname)] as const;
      this.#pairs.add(pair);
      for (const [socket, other] of [pair, [pair[1], pair[0]]] as const) {
        socket.on("error", () => undefined);
        socket.on("close", () => {
          this.#pairs.delete(pair);
          other.destroy();
        });
        if (!this.#isSilent) socket.pipe(other);
      }
    });
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Stops forwarding, on old connections and on new ones, which it accepts. */
  fallSilent(): void {
    this.#isSilent = true;
    for (const [client, database] of this.#pairs) {
      client.unpipe(database).pause();
      database.unpipe(client).pause();
    }
  }

  /** Forwards again, including queued bytes. */
  speak(): void {
    this.#isSilent = false;
    for (const [client, database] of this.#pairs) {
      client.pipe(database);
      database.pipe(client);
    }
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    this.#pairs.clear();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
