import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Of PostgreSQL's message "ready for the next query". */
const READY = "Z".charCodeAt(0);
/** The state that it names when no transaction is open. */
const NOT_IN_TRANSACTION = "I".charCodeAt(0);
const HEADER = 5;
/** Answers come so late: what is sent at once is seen at once. */
const DELAY_MS = 4;

/** A way to the database that counts how many connections are in use at one time: within a statement or a transaction. */
export class BusyRelay {
  /** The most connections at one time since it was set to 0. */
  max = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #busy = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(databaseUrl: string): Promise<BusyRelay> {
    const { hostname, port } = new URL(databaseUrl);
    const relay = new BusyRelay(createServer((client) => relay.#relay(client, connect(Number(port), hostname))));
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  /** The same database by way of this. */
  through(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #relay(client: Socket, database: Socket): void {
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#sockets.add(socket.setNoDelay());
      socket.on("error", () => undefined);
      socket.on("close", () => {
        other.destroy();
        this.#sockets.delete(socket);
        this.#busy.delete(client);
      });
    }
    // One that is being opened is not used yet.
    let isOpen = false;
    let rest = Buffer.alloc(0);
    const waiting: { readonly data: Buffer; readonly isReady: boolean }[] = [];
    client.on("data", (data) => {
      if (isOpen) this.#busy.add(client);
      this.max = Math.max(this.max, this.#busy.size);
      database.write(data);
    });
    database.on("data", (data) => {
      let isReady = false;
      rest = Buffer.concat([rest, data]);
      while (rest.length >= HEADER && rest.length > rest.readUInt32BE(1)) {
        const message = rest.subarray(0, 1 + rest.readUInt32BE(1));
        if (message[0] === READY) isReady = message[HEADER] === NOT_IN_TRANSACTION;
        rest = rest.subarray(message.length);
      }
      waiting.push({ data, isReady });
      // Each passes on what has waited longest: a timer that fires late must not change the order of the bytes.
      setTimeout(() => {
        const first = waiting.shift()!;
        if (first.isReady) {
          isOpen = true;
          this.#busy.delete(client);
        }
        client.write(first.data);
      }, DELAY_MS);
    });
  }
}
