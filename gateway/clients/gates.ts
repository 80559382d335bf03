import { type ApiError, serviceUnavailable } from "../../schema/services/errors.js";
import { FairGate, type FairGateLimits } from "./fair-gate.js";

/**
 * The gates that wait for the database in the end. When it falls silent, what is inside fails after the time limit of a
 * statement; what waits in front would fail one such time later, and so on: it is rejected together with the first.
 */
export class Gates {
  readonly #gates: FairGate[] = [];

  /** A gate whose `enter` rejects with ServiceUnavailable when the database falls silent. */
  create(limits: FairGateLimits): FairGate {
    const gate = new FairGate(limits);
    this.#gates.push(gate);
    return gate;
  }

  /** The database is silent: rejects all that waits in any of the gates. @returns how many that were */
  rejectWaiting(): number {
    const error: ApiError = serviceUnavailable("the database cannot be reached or did not answer in time");
    return this.#gates.reduce((count, gate) => count + gate.rejectWaiting(error), 0);
  }
}
