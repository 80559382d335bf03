import type { Screen } from "../process/progress-bar.js";
import type { Report } from "./report.js";

/** Interval of progress lines without a terminal, in ms. */
const LINE_EVERY_MS = 5_000;
const CHANGE_EVERY_MS = 100;

/** Shows the progress of a comparison: one changing line in a terminal, otherwise a line every five seconds. */
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

  /** Clears the line in a terminal: the report follows. */
  end(): void {
    if (this.#screen.isTTY) this.#screen.write("\r\u001b[2K");
  }
}
