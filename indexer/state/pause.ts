import type { Logger } from "pino";

const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;

/** Increasing delays after state could not be read; logged once when it begins and once when it is over. */
export class Pause {
  readonly #log: Logger;
  readonly #clock: () => number;
  #until = 0;
  #nextMs = FIRST_MS;

  /** @param clock milliseconds of a monotonic clock */
  constructor(log: Logger, clock: () => number) {
    this.#log = log;
    this.#clock = clock;
  }

  get isOver(): boolean {
    return this.#clock() >= this.#until;
  }

  failed(error: Error): void {
    const details = { reason: error.message, againInMs: this.#nextMs };
    if (this.#nextMs === FIRST_MS) {
      this.#log.warn(
        details,
        "The node serves no state values: it needs the diagnostics extension, and our host in trustedHosts. Following blocks without state",
      );
    } else {
      this.#log.debug(details, "The node still serves no state values");
    }
    this.#until = this.#clock() + this.#nextMs;
    this.#nextMs = Math.min(2 * this.#nextMs, LONGEST_MS);
  }

  succeeded(): void {
    if (this.#nextMs !== FIRST_MS) this.#log.info("The node serves state values again");
    this.#nextMs = FIRST_MS;
    this.#until = 0;
  }
}
