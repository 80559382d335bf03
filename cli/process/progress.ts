import type { Logger } from "pino";
import type { FillStatus } from "../../indexer/metrics/fill-rate.js";

/** Interval of progress lines without a terminal, in ms. */
const LINE_EVERY_MS = 5_000;

/** Where progress is shown: a terminal shows one changing line. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** `height / head, blocks/s, transactions/s, time left`, with a space after every third digit. */
export function describeFilling(status: FillStatus): string {
  const { height, target, blocksPerSecond, transactionsPerSecond, secondsLeft } = status;
  const left = secondsLeft === undefined ? "" : `, ${describeTime(secondsLeft)} left`;
  const rates = `${grouped(blocksPerSecond)} blocks/s, ${grouped(transactionsPerSecond)} transactions/s`;
  return `${grouped(height)} / ${grouped(target)}, ${rates}${left}`;
}

/** Shows progress: one changing line in a terminal, otherwise a log line every five seconds. */
export class Progress {
  readonly #log: Logger;
  readonly #screen: Screen;
  readonly #clock: () => number;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(log: Logger, screen: Screen = process.stderr, clock: () => number = () => performance.now()) {
    this.#log = log;
    this.#screen = screen;
    this.#clock = clock;
  }

  /** @param numbers those of the log line, rounded there */
  show(text: string, numbers: object): void {
    if (this.#screen.isTTY) {
      this.#screen.write(`\r\u001b[2K${text.slice(0, (this.#screen.columns ?? 80) - 1)}`);
      return;
    }
    const now = this.#clock();
    if (now - this.#shownAt < LINE_EVERY_MS) return;
    this.#shownAt = now;
    const rounded = Object.entries(numbers).map(([name, value]) => [name, value && Math.round(value)]);
    this.#log.info(Object.fromEntries(rounded), text);
  }

  /** Keeps the last line. */
  end(): void {
    if (this.#screen.isTTY) this.#screen.write("\n");
  }
}

function describeTime(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

function grouped(value: number): string {
  return String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, " ");
}
