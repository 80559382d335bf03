/**
 * Lets one loop sleep until it is woken or a time has passed. A wake-up while the loop is not sleeping applies to its
 * next sleep.
 */
export class Alarm {
  #rung = false;
  #wake: (() => void) | undefined;

  /** Ends the sleep, or prevents the next one. */
  ring = (): void => {
    this.#rung = true;
    this.#wake?.();
  };

  /** Sleeps for at most `ms` milliseconds, and not after `signal` is aborted. */
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
