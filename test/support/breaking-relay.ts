import type { Socket } from "node:net";
import { Relay } from "./relay.js";

/** A relay to a database that cuts connections when told so, each time that something is sent. */
export class BreakingRelay extends Relay {
  /** Whether the connection over which something is sent now is cut instead. */
  breaks: () => boolean = () => false;
  /** Number of cut connections. */
  broken = 0;

  protected relay(client: Socket, database: Socket): void {
    const passOn = (to: Socket) => (chunk: Buffer) => {
      if (!this.breaks()) return void to.write(chunk);
      this.broken += 1;
      client.destroy();
    };
    client.on("data", passOn(database));
    database.on("data", passOn(client));
  }
}
