import type { Socket } from "node:net";
import { Relay } from "./relay.js";

/** The lost part of a COMMIT: its answer (it took effect), or the request (it did not). The connection is lost too. */
export type Loss = "answer" | "request";

const COMMIT = /\bcommit\b/i;

/** A relay to a database that loses messages on request. */
export class LossyDatabase extends Relay {
  #losses: Loss[] = [];
  /** Number of lost commits. */
  lost = 0;

  /** Loses this part of the next commits, one after the other. */
  lose(...losses: Loss[]): void {
    this.#losses = losses;
  }

  protected relay(client: Socket, database: Socket): void {
    database.on("data", (chunk: Buffer) => void client.write(chunk));
    client.on("data", (chunk: Buffer) => {
      const loss = COMMIT.test(chunk.toString("latin1")) ? this.#losses.shift() : undefined;
      if (!loss) return void database.write(chunk);
      this.lost += 1;
      if (loss === "request") return void client.destroy();
      // The server has committed when it answers.
      database.removeAllListeners("data").once("data", () => client.destroy());
      database.write(chunk);
    });
  }
}
