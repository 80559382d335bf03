import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { DryRunLimitError } from "../../ledger/engine/dry-run.js";
import { type DryRunReply, type DryRunRequest, receiveMessage, sendMessage, type ThreadReady } from "./dry-run-job.js";
import { readProcessorTime } from "./processor-time.js";

const PROGRAM = fileURLToPath(new URL("./dry-run-worker.js", import.meta.url));
/** In MiB: more ends the thread. */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
/** Where a thread's processor time is unknown, the clock counts, for this much less: the machine may be busy. */
const CLOCK_FACTOR = 8;

/** A step needed more than its job may, so that the thread was ended. */
export class ThreadLimitError extends DryRunLimitError {}

/** A reply of the thread, and the processor time that it took, in ms. */
export interface Step {
  readonly reply: DryRunReply;
  readonly usedMs: number;
}

/** A thread in which transactions are tried, one step of a job after the other. */
export class DryRunThread {
  readonly #worker: Worker;
  #folder: string | undefined;
  #hasEnded = false;

  private constructor(worker: Worker) {
    this.#worker = worker;
    const end = () => {
      this.#hasEnded = true;
    };
    worker.on("error", end).on("exit", end);
  }

  /** Resolves when everything is loaded. */
  static async start(): Promise<DryRunThread> {
    const worker = new Worker(PROGRAM, { resourceLimits: THREAD_MEMORY });
    worker.unref();
    const thread = new DryRunThread(worker);
    thread.#folder = ((await thread.#nextMessage()) as ThreadReady).folder;
    return thread;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Performs a step.
   *
   * @param maxMs of processor time that it may take
   * @throws ThreadLimitError if it takes more, or too much memory: then the thread has ended
   */
  async perform(request: DryRunRequest, maxMs: number): Promise<Step> {
    const begun = this.#time();
    let timer: NodeJS.Timeout | undefined;
    const watch = (leftMs: number): void => {
      timer = setTimeout(() => {
        const left = this.#hasEnded ? 0 : maxMs - (this.#time() - begun);
        if (left > 0) watch(left);
        else void this.end();
      }, this.#clockTime(leftMs));
    };
    watch(maxMs);
    try {
      const replied = this.#nextMessage(`takes more than ${maxMs.toFixed(0)} ms of the processor`);
      sendMessage(this.#worker, request);
      const reply = receiveMessage<DryRunReply>((await replied) as Uint8Array);
      return { reply, usedMs: this.#time() - begun };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Forgets a job that waits for entries. */
  giveUp(id: number): void {
    if (!this.#hasEnded) sendMessage(this.#worker, { id, isGivenUp: true });
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#worker.terminate();
  }

  /** What the thread has used of the processor, in ms. */
  #time(): number {
    return this.#folder === undefined ? performance.now() / CLOCK_FACTOR : readProcessorTime(this.#folder);
  }

  /** The shortest time in which a thread can use this much of the processor, in ms. */
  #clockTime(usedMs: number): number {
    return Math.ceil(this.#folder === undefined ? usedMs * CLOCK_FACTOR : usedMs);
  }

  /** @param ifEnded why it has ended, if it ends */
  #nextMessage(ifEnded = "has ended"): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const worker = this.#worker;
      const onMessage = (value: unknown) => end(() => resolve(value));
      const onError = (error: Error) => {
        const isTooLarge = (error as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
        end(() => reject(isTooLarge ? new ThreadLimitError("needs too much memory") : error));
      };
      const onExit = () => end(() => reject(new ThreadLimitError(ifEnded)));
      function end(settle: () => void): void {
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
        settle();
      }
      worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    });
  }
}
