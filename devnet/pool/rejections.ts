import type { Logger } from "pino";
import { type FailureName, StatusCode } from "../../catapult/announcement/status-code.js";
import type { DevnetEvents } from "./events.js";
import type { Rejection, RejectionSubject } from "./rejection.js";

const MAX_REJECTIONS = 10_000;

/** Emits rejections, and remembers the last ones. */
export class Rejections {
  readonly #events: DevnetEvents;
  readonly #log: Logger;
  readonly #last: Rejection[] = [];

  constructor(events: DevnetEvents, log: Logger) {
    this.#events = events;
    this.#log = log;
  }

  /** The last ones, the oldest first. */
  get last(): readonly Rejection[] {
    return this.#last;
  }

  /** Records that a transaction was rejected. */
  add({ hash, deadline, relatedAddresses }: RejectionSubject, name: FailureName): void {
    const rejection = { hash, deadline, relatedAddresses, name, code: StatusCode[name] };
    if (this.#last.length >= MAX_REJECTIONS) this.#last.shift();
    this.#last.push(rejection);
    this.#log.info({ hash: hash.toString("hex"), code: name }, "devnet: rejected a transaction");
    this.#events.emit("status", rejection);
  }
}
