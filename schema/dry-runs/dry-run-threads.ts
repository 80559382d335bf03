import { DryRunLimitError } from "../../ledger/engine/dry-run.js";
import type { KindedEntry } from "../../ledger/engine/sparse-state.js";
import { ApiError, serviceUnavailable } from "../errors/errors.js";
import { RateLimit } from "../limits/rate-limit.js";
import { type DryRunJob, type DryRunJobResults, type DryRunReply, sizeOf } from "./dry-run-job.js";
import { DryRunThread, ThreadLimitError } from "./dry-run-thread.js";
import type { HeadState } from "./head-state.js";
import { Penalties } from "./penalties.js";

/** Of the processor, that the dry runs of one request may take, in ms. */
const SHARE_MS = 250;
/** A client has one step at a time, so one alone never delays the others. */
const THREADS = 2;
/** Clients that used more than this lately share one thread, so that several of them do not delay the others; in ms. */
const USUAL_USE = { perSecond: 50, burst: 100 };
/** So do larger jobs, in bytes: a full aggregate of transfers is smaller. */
const USUAL_SIZE = 32_768;

/** What the dry runs of one request of a client may still take of the processor. */
export interface DryRunShare {
  readonly client: string;
  leftMs: number;
}

/** A job in the course of its steps, which end where it needs entries of the state. */
interface Run {
  readonly id: number;
  readonly share: DryRunShare;
  readonly job: DryRunJob;
  readonly head: HeadState;
  /** The entries that were read for it, by request. */
  readonly known: (readonly KindedEntry[])[];
  /** The thread that has it. */
  thread: DryRunThread | undefined;
  /** What it has used of its share in that thread, in ms. */
  usedMs: number;
}

/** A step that is due. */
interface Waiting {
  readonly run: Run;
  readonly resolve: (reply: DryRunReply) => void;
  readonly reject: (error: unknown) => void;
}

/** Room for a thread, which is started when it is needed first, and again when it was ended. */
interface Slot {
  thread: DryRunThread | undefined;
  isBusy: boolean;
}

/**
 * Threads in which transactions are tried, so that nothing else of the process waits for them. Clients take turns, step
 * by step; what is much work is served by the first thread alone. A job that exceeds the share of its request is ended
 * with its thread, for its client alone: other jobs of that thread continue in another one with what was read for them,
 * and are not charged for it.
 */
export class DryRunThreads {
  readonly #slots: readonly Slot[] = Array.from({ length: THREADS }, () => ({ thread: undefined, isBusy: false }));
  /** Steps by client, the client whose turn it is first. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** Clients with a step that is performed. */
  readonly #served = new Set<string>();
  readonly #penalties = new Penalties();
  readonly #usage = new RateLimit(USUAL_USE);
  readonly #shareMs: number;
  #jobs = 0;
  #isClosed = false;

  constructor(shareMs = SHARE_MS) {
    this.#shareMs = shareMs;
  }

  /**
   * The share of a new request.
   *
   * @throws ApiError TooManyRequests while the client has to wait, because its jobs were ended
   */
  share(client: string): DryRunShare {
    this.#checkPenalty(client);
    return { client, leftMs: this.#shareMs };
  }

  /**
   * Runs a job on the state at the head.
   *
   * @throws DryRunLimitError if it needs too much of the state, or more work than is left of its share; errors of
   *   reading the state
   */
  async run<Job extends DryRunJob>(
    share: DryRunShare,
    job: Job,
    head: HeadState,
  ): Promise<DryRunJobResults[Job["kind"]]> {
    const id = ++this.#jobs;
    const run: Run = { id, share, job, head, known: [], thread: undefined, usedMs: 0 };
    try {
      for (;;) {
        const reply = await this.#turn(run);
        if ("keys" in reply) run.known.push(await head.read(reply.keys));
        else return unwrapReply(reply) as DryRunJobResults[Job["kind"]];
      }
    } catch (error) {
      run.thread?.giveUp(id);
      if (error instanceof ThreadLimitError && isOwnWork(job)) this.#penalties.add(share.client);
      throw error;
    }
  }

  #checkPenalty(client: string): void {
    const waitMs = this.#penalties.waitMs(client);
    if (waitMs === 0) return;
    const seconds = Math.ceil(waitMs / 1_000);
    const problem = "transactions from your address took too much work to be tried";
    throw new ApiError("TooManyRequests", `${problem}: try again in ${seconds} s`);
  }

  /** Ends the threads; unfinished work is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rejectWaiting(closed());
    await Promise.all(this.#slots.map(({ thread }) => thread?.end()));
  }

  /** Performs the next step of a job when it is its client's turn. */
  #turn(run: Run): Promise<DryRunReply> {
    const { client } = run.share;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw closed();
      const step: Waiting = { run, resolve, reject };
      const steps = this.#waiting.get(client);
      if (steps) steps.push(step);
      else this.#waiting.set(client, [step]);
      this.#startDue();
    });
  }

  /** Starts the steps of clients whose turn it is, while there is a thread for them. */
  #startDue(): void {
    for (const [client, steps] of this.#waiting) {
      if (this.#served.has(client)) continue;
      const step = steps[0]!;
      const slot = this.#slotFor(step.run);
      if (!slot) continue;
      steps.shift();
      this.#waiting.delete(client);
      if (steps.length > 0) this.#waiting.set(client, steps);
      void this.#perform(slot, step);
    }
  }

  /** A slot whose thread is ready, that of the job if it can be; if there is none, another one is started for later. */
  #slotFor({ thread: own, share, job }: Run): Slot | undefined {
    const isHeavy = sizeOf(job) > USUAL_SIZE || this.#usage.wait(share.client) !== undefined;
    const free = (isHeavy ? this.#slots.slice(0, 1) : this.#slots).filter(({ isBusy }) => !isBusy);
    const ready = free.filter(({ thread }) => thread && !thread.hasEnded);
    if (ready.length === 0 && free[0]) void this.#start(free[0]);
    return ready.find(({ thread }) => thread === own) ?? ready.at(-1);
  }

  async #perform(slot: Slot, { run, resolve, reject }: Waiting): Promise<void> {
    const { client } = run.share;
    const thread = slot.thread!;
    slot.isBusy = true;
    this.#served.add(client);
    try {
      resolve(await this.#step(thread, run));
    } catch (error) {
      if (error instanceof ThreadLimitError) this.#usage.spend(client, this.#shareMs);
      reject(this.#isClosed ? closed() : error);
    } finally {
      slot.isBusy = false;
      this.#served.delete(client);
      // Its successor is ready before the next job comes.
      if (thread.hasEnded) void this.#start(slot);
      this.#startDue();
    }
  }

  /** Starts the thread of a slot. If that fails, so do the steps that wait for it. */
  async #start(slot: Slot): Promise<void> {
    if (this.#isClosed) return;
    slot.isBusy = true;
    slot.thread = undefined;
    try {
      const thread = await DryRunThread.start();
      if (this.#isClosed) await thread.end();
      else slot.thread = thread;
    } catch (error) {
      this.#rejectWaiting(error);
    }
    slot.isBusy = false;
    this.#startDue();
  }

  #rejectWaiting(error: unknown): void {
    for (const steps of this.#waiting.values()) for (const { reject } of steps) reject(error);
    this.#waiting.clear();
  }

  async #step(thread: DryRunThread, run: Run): Promise<DryRunReply> {
    const { id, share, job, head, known } = run;
    // Another job of the client may have been ended while this one waited for its first turn.
    if (!run.thread) this.#checkPenalty(share.client);
    const isNew = run.thread !== thread;
    if (isNew) {
      run.thread?.giveUp(id);
      share.leftMs += run.usedMs;
      run.usedMs = 0;
      run.thread = thread;
    }
    if (share.leftMs <= 0) throw new ThreadLimitError(`takes more than ${this.#shareMs} ms of the processor`);
    const { config, basis } = head;
    const request = isNew ? { id, job, config, basis, known } : { id, entries: known.at(-1)! };
    const { reply, usedMs } = await thread.perform(request, share.leftMs);
    this.#usage.spend(share.client, usedMs);
    run.usedMs += usedMs;
    share.leftMs -= usedMs;
    return reply;
  }
}

/** Whether the client alone is to blame for a job's work: what others have pending is tried before some. */
function isOwnWork(job: DryRunJob): boolean {
  return job.kind !== "evaluate" || job.others.length === 0;
}

function unwrapReply(reply: Exclude<DryRunReply, { readonly keys: unknown }>): unknown {
  if ("limit" in reply) throw new DryRunLimitError(reply.limit);
  if ("failed" in reply) throw new Error(`Trying transactions failed: ${reply.failed}`);
  return reply.result;
}

function closed(): ApiError {
  return serviceUnavailable("the gateway is stopping");
}
