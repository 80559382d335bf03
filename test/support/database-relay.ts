import type { Socket } from "node:net";
import { Relay } from "./relay.js";

/** A relay to the database that can be closed, or fall silent as a network that is cut without a reset. */
export class DatabaseRelay extends Relay {
  #isSilent = false;

  protected relay(client: Socket, database: Socket): void {
    if (this.#isSilent) return;
    client.pipe(database);
    database.pipe(client);
  }

  /** Stops forwarding, on old connections and on new ones, which it accepts. */
  fallSilent(): void {
    this.#isSilent = true;
    for (const [client, database] of this.pairs) {
      client.unpipe(database).pause();
      database.unpipe(client).pause();
    }
  }

  /** Forwards again, including queued bytes. */
  speak(): void {
    this.#isSilent = false;
    for (const [client, database] of this.pairs) {
      client.pipe(database);
      database.pipe(client);
    }
  }
}
