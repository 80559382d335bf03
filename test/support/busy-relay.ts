import type { Socket } from "node:net";
import { Relay } from "./relay.js";

/** Of PostgreSQL's message "ready for the next query". */
const READY = "Z".charCodeAt(0);
/** The state that it names when no transaction is open. */
const NOT_IN_TRANSACTION = "I".charCodeAt(0);
const HEADER = 5;
/** Answers come so late: what is sent at once is seen at once. */
const DELAY_MS = 4;

/** A way to the database that counts how many connections are in use at one time: within a statement or a transaction. */
export class BusyRelay extends Relay {
  /** The most connections at one time since it was set to 0. */
  max = 0;
  readonly #busy = new Set<Socket>();

  protected relay(client: Socket, database: Socket): void {
    client.setNoDelay().on("close", () => this.#busy.delete(client));
    database.setNoDelay();
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
