/** Lets one loop sleep until something rings or time is over. A ring while nobody sleeps is kept for the next sleep. */
export class Alarm {
  #rung = false;
  #wake: (() => void) | undefined;

  /** Ends the sleep, or keeps the next one from beginning. */
  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Sleeps for at most `ms` milliseconds. */
  async sleep(ms: number): Promise<void> {
    if (!this.#rung) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#rung = false;
  }
}
