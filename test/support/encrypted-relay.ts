import { once } from "node:events";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { createCredentials } from "../../catapult/certificate/certificate.js";
import { Relay } from "./relay.js";

/** The length and the code of a request to encrypt a connection to PostgreSQL. */
const SSL_REQUEST = Buffer.from("0000000804d2162f", "hex");

/** A relay to the database, with TLS as a server of PostgreSQL offers it. */
export class EncryptedRelay extends Relay {
  readonly #credentials = createCredentials({ commonName: "database" });
  /** Connections that were encrypted. */
  encrypted = 0;

  /** The database by way of this port. @param sslmode as in the URLs of libpq */
  url(database: string, sslmode: string): string {
    const changed = new URL(this.through(database));
    changed.searchParams.set("sslmode", sslmode);
    return changed.href;
  }

  protected relay(client: Socket, database: Socket): void {
    void this.#lead(client, database).catch(() => client.destroy());
  }

  async #lead(client: Socket, database: Socket): Promise<void> {
    const [request] = (await once(client, "data")) as [Buffer];
    if (!request.equals(SSL_REQUEST)) throw new Error("the client does not ask for TLS");
    client.write("S");
    const { certificatePem, privateKeyPem } = this.#credentials;
    const open = new TLSSocket(client, { isServer: true, cert: certificatePem, key: privateKeyPem });
    this.encrypted += 1;
    for (const [from, to] of [
      [open, database],
      [database, open],
    ] as const) {
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
      from.pipe(to);
    }
  }
}
