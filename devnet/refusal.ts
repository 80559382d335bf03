import type { Logger } from "pino";
import { type FailureName, StatusCode } from "../catapult/status-code.js";
import type { DevnetEvents } from "./events.js";

const MAX_REFUSALS = 10_000;

/** What a status message tells of the transaction that it is about. */
export interface RefusedTransaction {
  /** Hash of the transaction, 32 bytes. */
  readonly hash: Buffer;
  /** Milliseconds since the network's epoch. */
  readonly deadline: bigint;
  /** Addresses (24 bytes) that the transaction concerns, unresolved; only its signer's if the rest cannot be read. */
  readonly relatedAddresses: readonly Buffer[];
}

/** A transaction that was refused, as the node's status messages tell it. */
export interface Refusal extends RefusedTransaction {
  readonly name: FailureName;
  readonly code: number;
}

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
