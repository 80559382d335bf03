import { Writable } from "node:stream";
import { pino } from "pino";

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

  /** Waits for a line that matches. @throws Error with the newest line, after 15 s */
  async waitFor(expected: RegExp): Promise<void> {
    const deadline = Date.now() + 15_000;
    while (!this.#lines.some((line) => expected.test(line))) {
      if (Date.now() > deadline) throw new Error(`No line matches ${expected}: ${this.#lines.at(-1)?.slice(0, 500)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
