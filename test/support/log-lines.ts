import { Writable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { pino } from "pino";
import { until } from "./until.js";

/** A log of level `debug` whose lines can be waited for. */
export class LogLines {
  #lines: string[] = [];
  readonly logger = pino(
    { level: "debug" },
    new Writable({
      write: (chunk, _encoding, done) => {
        this.#lines.push(String(chunk));
        done();
      },
    }),
  );

  /** Lines that match, oldest first. */
  matching(expected: RegExp): string[] {
    return this.#lines.filter((line) => expected.test(line));
  }

  /** Waits for a line that matches. @throws Error with the newest line, after 2 min */
  async waitFor(expected: RegExp): Promise<void> {
    const problem = () => `a line matches ${expected}: ${this.#lines.at(-1)?.slice(0, 500)}`;
    await until(() => this.#lines.some((line) => expected.test(line)), problem);
  }

  /**
   * Waits for a line about an error (`err`) that has each of these fields with exactly this value.
   * @throws Error with the errors of all lines, after 2 min
   */
  async waitForError(expected: Readonly<Record<string, unknown>>): Promise<void> {
    const fits = (error: Record<string, unknown>) =>
      Object.entries(expected).every(([field, value]) => isDeepStrictEqual(error[field], value));
    const errors = () => this.#errors().map(({ stack, ...fields }) => JSON.stringify(fields));
    const problem = () => `an error has ${JSON.stringify(expected)}: ${errors().join(", ").slice(0, 2_000)}`;
    await until(() => this.#errors().some(fits), problem);
  }

  /** The fields of all errors that were logged. */
  #errors(): Record<string, unknown>[] {
    const errors = this.#lines.map((line) => (JSON.parse(line) as { err?: Record<string, unknown> }).err);
    return errors.filter((error) => error !== undefined);
  }
}
