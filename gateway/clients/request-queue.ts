import type { FairQueue } from "./fair-queue.js";
import type { ReceiveLimit } from "./receive-limit.js";

/** Number of pending requests of one connection at which it is no longer read. */
const READ_AHEAD = 16;

/** The connection that a queue belongs to. */
export interface RequestQueueOwner {
  readonly clientKey: string;
  readonly isOpen: boolean;
  handle(request: Buffer): void;
  /** Ends the connection: a request could not be handled, by a fault of ours. */
  fail(): void;
  /** Stops reading further requests. */
  pause(): void;
  /** Resumes reading. */
  resume(): void;
  /** No request is handled until more arrive, or the client's rate allows it. */
  onPaused(): void;
}

/** Pending requests of one connection: handled in order, in the client's turns, no faster than its rate. */
export class RequestQueue {
  readonly #owner: RequestQueueOwner;
  readonly #steps: FairQueue;
  readonly #receiveLimit: ReceiveLimit;
  #requests: Buffer[] = [];
  #isScheduled = false;
  #isFull = false;
  #isOverRate = false;
  /** The next request has been counted already. */
  #isAllowed = false;

  constructor(owner: RequestQueueOwner, steps: FairQueue, receiveLimit: ReceiveLimit) {
    this.#owner = owner;
    this.#steps = steps;
    this.#receiveLimit = receiveLimit;
  }

  get isEmpty(): boolean {
    return this.#requests.length === 0;
  }

  add(request: Buffer): void {
    this.#requests.push(request);
    if (this.#requests.length >= READ_AHEAD && !this.#isFull) {
      this.#isFull = true;
      this.#owner.pause();
    }
    if (!this.#isOverRate) this.#schedule();
  }

  /** Drops pending requests. */
  close(): void {
    this.#requests = [];
    this.#receiveLimit.leave(this.#allow);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#steps.add(this.#owner.clientKey, () => this.#handleNext());
  }

  readonly #allow = (): void => {
    this.#isOverRate = false;
    this.#isAllowed = true;
    this.#schedule();
  };

  #handle(request: Buffer): void {
    try {
      this.#owner.handle(request);
    } catch (error) {
      this.#owner.fail();
      throw error;
    }
  }

  /** @returns whether more requests may be handled now */
  #handleNext(): boolean {
    if (!this.#owner.isOpen) this.close();
    if (this.#requests.length > 0) {
      this.#isOverRate = !this.#isAllowed && !this.#receiveLimit.takeMessage(this.#allow);
      this.#isAllowed = false;
      if (!this.#isOverRate) this.#handle(this.#requests.shift()!);
    }
    if (this.#requests.length === 0 && this.#isFull) {
      this.#isFull = false;
      this.#owner.resume();
    }
    this.#isScheduled = !this.#isOverRate && this.#requests.length > 0;
    if (!this.#isScheduled) this.#owner.onPaused();
    return this.#isScheduled;
  }
}
