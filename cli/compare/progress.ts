import type { Screen } from "../process/progress-bar.js";
import type { Report } from "./report.js";

/** A line this often where there is no terminal, in ms. */
const LINE_EVERY_MS = 5_000;
const CHANGE_EVERY_MS = 100;

/** Shows how far comparing is: one line that changes in a terminal, elsewhere a line every five seconds. */
export class CompareProgress {
  readonly #screen: Screen;
  #shownAt = performance.now();

  constructor(screen: Screen = process.stderr) {
    this.#screen = screen;
  }

  show(report: Report): void {
    const now = performance.now();
    if (now - this.#shownAt < (this.#screen.isTTY ? CHANGE_EVERY_MS : LINE_EVERY_MS)) return;
    this.#shownAt = now;
    const text = `${report.requests} requests, ${report.total("different")} different`;
    this.#screen.write(this.#screen.isTTY ? `\r\u001b[2K${text}` : `${text}\n`);
  }

  /** Removes the line of a terminal: the report follows. */
  end(): void {
    if (this.#screen.isTTY) this.#screen.write("\r\u001b[2K");
  }
}
