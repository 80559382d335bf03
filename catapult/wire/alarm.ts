/** Lets one loop sleep until something rings or time is over. A ring while nobody sleeps is kept for the next sleep. */
export class Alarm {
  #rung = false;
  #wake: (() => void) | undefined;

  /** Ends the sleep, or keeps the next one from beginning. */
  ring = (): void => {
    this.#rung = true;
    this.#wake?.();
  };

  /** Sleeps for at most `ms` milliseconds, and not any longer once `signal` is aborted. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.#rung && !signal?.aborted) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, ms);
        signal?.addEventListener("abort", this.#end);
      });
      signal?.removeEventListener("abort", this.#end);
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#rung = false;
  }

  readonly #end = (): void => this.#wake?.();
}
