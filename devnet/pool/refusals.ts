import type { Logger } from "pino";
import { type FailureName, StatusCode } from "../../catapult/announcement/status-code.js";
import type { DevnetEvents } from "./events.js";
import type { Refusal, RefusedTransaction } from "./refusal.js";

const MAX_REFUSALS = 10_000;

/** Tells of refusals, and remembers the last ones. */
export class Refusals {
  readonly #events: DevnetEvents;
  readonly #log: Logger;
  readonly #last: Refusal[] = [];

  constructor(events: DevnetEvents, log: Logger) {
    this.#events = events;
    this.#log = log;
  }

  /** The last ones, the oldest first. */
  get last(): readonly Refusal[] {
    return this.#last;
  }

  /** Notes that a transaction was refused. */
  add({ hash, deadline, relatedAddresses }: RefusedTransaction, name: FailureName): void {
    const refusal = { hash, deadline, relatedAddresses, name, code: StatusCode[name] };
    if (this.#last.length >= MAX_REFUSALS) this.#last.shift();
    this.#last.push(refusal);
    this.#log.info({ hash: hash.toString("hex"), code: name }, "devnet: a transaction was refused");
    this.#events.emit("status", refusal);
  }
}
