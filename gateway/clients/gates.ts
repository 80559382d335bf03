import { type ApiError, serviceUnavailable } from "../../schema/services/errors.js";
import { FairGate, type FairGateLimits } from "./fair-gate.js";

/**
 * The gates whose holders depend on the database. When it becomes silent, holders fail after the statement timeout;
 * entries queued behind them would fail one such time later, and so on: they are rejected together with the first.
 */
export class Gates {
  readonly #gates: FairGate[] = [];

  /** A gate whose `enter` rejects with ServiceUnavailable when the database becomes silent. */
  create(limits: FairGateLimits): FairGate {
    const gate = new FairGate(limits);
    this.#gates.push(gate);
    return gate;
  }

  /** The database is silent: rejects everything queued in any of the gates. @returns their number */
  rejectWaiting(): number {
    const error: ApiError = serviceUnavailable("the database is unreachable or did not answer in time");
    return this.#gates.reduce((count, gate) => count + gate.rejectWaiting(error), 0);
  }
}
