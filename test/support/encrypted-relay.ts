import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { createCredentials } from "../../catapult/certificate/certificate.js";

/** The length and the code of a request to encrypt a connection to PostgreSQL. */
const SSL_REQUEST = Buffer.from("0000000804d2162f", "hex");

/** A TCP port that leads to the database, with TLS as a server of PostgreSQL offers it. */
export class EncryptedRelay {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => void this.#lead(client).catch(() => client.destroy()));
  readonly #credentials = createCredentials({ commonName: "database" });
  /** Connections that were encrypted. */
  encrypted = 0;

  private constructor(target: URL) {
    this.#target = target;
  }

  /** @param url of the database */
  static async open(url: string): Promise<EncryptedRelay> {
    const relay = new EncryptedRelay(new URL(url));
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  /** The database by way of this port. @param sslmode as in the URLs of libpq */
  url(sslmode: string): string {
    const changed = new URL(this.#target);
    changed.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    changed.searchParams.set("sslmode", sslmode);
    return changed.href;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #lead(client: Socket): Promise<void> {
    const [request] = (await once(client, "data")) as [Buffer];
    if (!request.equals(SSL_REQUEST)) throw new Error("the client does not ask for TLS");
    client.write("S");
    const { certificatePem, privateKeyPem } = this.#credentials;
    const open = new TLSSocket(client, { isServer: true, cert: certificatePem, key: privateKeyPem });
    const database = connect(Number(this.#target.port), this.#target.hostname);
    this.encrypted += 1;
    for (const [from, to] of [
      [open, database],
      [database, open],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
      from.pipe(to);
    }
  }
}
