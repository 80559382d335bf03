import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { TrialLimitError } from "../../ledger/engine/trial.js";
import { serviceUnavailable } from "../errors/errors.js";
import type { HeadState } from "./head-state.js";
import {
  receiveMessage,
  sendMessage,
  type TrialJob,
  type TrialReply,
  type TrialRequest,
  type TrialResults,
} from "./trial-job.js";

const PROGRAM = fileURLToPath(new URL("./trial-worker.js", import.meta.url));
/** Of a step, the work between two reads of the state, in ms: what is counted ends it long before. */
const LONGEST_STEP_MS = 2_000;
/** Starting a thread takes a part of it. */
const LONGEST_START_MS = 10_000;
/** In MiB: more ends the thread. */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
/** Of a job whose thread was ended because of another one. */
const MAX_ATTEMPTS = 3;

interface Step {
  readonly request: TrialRequest;
  /** The thread that has the job; undefined for one that begins. */
  readonly worker: Worker | undefined;
  readonly resolve: (replied: { readonly reply: TrialReply; readonly worker: Worker }) => void;
  readonly reject: (error: unknown) => void;
}

/** The thread was ended by a job, perhaps another one. */
class ThreadEndedError extends Error {
  override readonly name = "ThreadEndedError";
}

/**
 * A thread in which transactions are tried, so that nothing else of the process waits for it. Clients take turns, step by
 * step; a step that takes too long ends the thread, and the other jobs begin anew in the next one.
 */
export class TrialThread {
  /** Steps by client, the client whose turn it is first. */
  readonly #waiting = new Map<string, Step[]>();
  #worker: Worker | undefined;
  #isBusy = false;
  #jobs = 0;
  readonly #longestStepMs: number;

  constructor(longestStepMs = LONGEST_STEP_MS) {
    this.#longestStepMs = longestStepMs;
  }

  /**
   * Runs a job on the state at the head.
   *
   * @param client whose turn it takes
   * @throws TrialLimitError if it needs too much of the state, or too much work; errors of reading the state
   */
  async run<Job extends TrialJob>(client: string, job: Job, head: HeadState): Promise<TrialResults[Job["kind"]]> {
    for (let attempt = 1; ; ++attempt) {
      try {
        return (await this.#attempt(client, job, head)) as TrialResults[Job["kind"]];
      } catch (error) {
        if (!(error instanceof ThreadEndedError)) throw error;
        if (attempt === MAX_ATTEMPTS) throw serviceUnavailable("too many transactions are tried at the moment");
      }
    }
  }

  /** Ends the thread; unfinished work is rejected. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #attempt(client: string, job: TrialJob, { config, basis, read }: HeadState): Promise<unknown> {
    const id = ++this.#jobs;
    let { reply, worker } = await this.#step(client, { id, job, config, basis });
    while ("keys" in reply) {
      const entries = await read(reply.keys).catch((error) => {
        sendMessage(worker, { id, isGivenUp: true });
        throw error;
      });
      ({ reply, worker } = await this.#step(client, { id, entries }, worker));
    }
    if ("limit" in reply) throw new TrialLimitError(reply.limit);
    if ("failed" in reply) throw new Error(`Trying transactions failed: ${reply.failed}`);
    return reply.result;
  }

  #step(client: string, request: TrialRequest, worker?: Worker): Promise<{ reply: TrialReply; worker: Worker }> {
    return new Promise((resolve, reject) => {
      const step: Step = { request, worker, resolve, reject };
      const steps = this.#waiting.get(client);
      if (steps) steps.push(step);
      else this.#waiting.set(client, [step]);
      void this.#work();
    });
  }

  /** One step after the other. */
  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let step = this.#next(); step; step = this.#next()) await this.#perform(step);
    this.#isBusy = false;
  }

  /** The oldest step of the client whose turn it is. */
  #next(): Step | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [client, steps] = first;
    const step = steps.shift();
    this.#waiting.delete(client);
    if (steps.length > 0) this.#waiting.set(client, steps);
    return step;
  }

  async #perform({ request, worker: own, resolve, reject }: Step): Promise<void> {
    try {
      if (own && own !== this.#worker) throw new ThreadEndedError("The thread has ended");
      const worker = this.#worker ?? (await this.#start());
      resolve({ reply: await replyOf(worker, request, this.#longestStepMs), worker });
    } catch (error) {
      reject(error);
    }
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(PROGRAM, { resourceLimits: THREAD_MEMORY });
    worker.unref();
    this.#worker = worker;
    const forget = () => {
      if (this.#worker === worker) this.#worker = undefined;
    };
    worker.on("error", forget).on("exit", forget);
    await nextMessage(worker, LONGEST_START_MS);
    return worker;
  }
}

async function replyOf(worker: Worker, request: TrialRequest, mostMs: number): Promise<TrialReply> {
  const replied = nextMessage(worker, mostMs);
  sendMessage(worker, request);
  return receiveMessage<TrialReply>((await replied) as Uint8Array);
}

/**
 * The next message of a thread, which is ended if it takes too long.
 *
 * @throws TrialLimitError if it takes too long; ThreadEndedError if the thread ends
 */
function nextMessage(worker: Worker, mostMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      end(() => reject(new TrialLimitError(`takes more than ${mostMs} ms`)));
      void worker.terminate();
    }, mostMs);
    const onMessage = (value: unknown) => end(() => resolve(value));
    const onError = (error: Error) => {
      const isTooLarge = (error as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
      end(() => reject(isTooLarge ? new TrialLimitError("needs too much memory") : error));
    };
    const onExit = () => end(() => reject(new ThreadEndedError("The thread has ended")));
    function end(settle: () => void): void {
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      settle();
    }
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
  });
}
