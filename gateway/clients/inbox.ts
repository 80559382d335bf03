import type { FairTurns } from "./fair-turns.js";
import type { Intake } from "./intake.js";

/** Number of pending requests of one connection at which it is no longer read. */
const READ_AHEAD = 16;

/** The connection that an inbox belongs to. */
export interface InboxOwner {
  readonly clientKey: string;
  readonly isOpen: boolean;
  handle(request: Buffer): void;
  /** Stops reading further requests. */
  pause(): void;
  /** Resumes reading. */
  resume(): void;
  /** No request is handled until more arrive, or the client's rate allows it. */
  onPaused(): void;
}

/** Pending requests of one connection: handled in order, in the client's turns, no faster than its rate. */
export class Inbox {
  readonly #owner: InboxOwner;
  readonly #turns: FairTurns;
  readonly #intake: Intake;
  #requests: Buffer[] = [];
  #isScheduled = false;
  #isFull = false;
  #isInLine = false;
  /** The next request has been counted already. */
  #isAllowed = false;

  constructor(owner: InboxOwner, turns: FairTurns, intake: Intake) {
    this.#owner = owner;
    this.#turns = turns;
    this.#intake = intake;
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
    if (!this.#isInLine) this.#schedule();
  }

  /** Drops pending requests. */
  close(): void {
    this.#requests = [];
    this.#intake.leave(this.#allow);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#turns.add(this.#owner.clientKey, () => this.#handleNext());
  }

  readonly #allow = (): void => {
    this.#isInLine = false;
    this.#isAllowed = true;
    this.#schedule();
  };

  /** @returns whether more requests may be handled now */
  #handleNext(): boolean {
    if (!this.#owner.isOpen) this.close();
    if (this.#requests.length > 0) {
      this.#isInLine = !this.#isAllowed && !this.#intake.takeMessage(this.#allow);
      this.#isAllowed = false;
      if (!this.#isInLine) this.#owner.handle(this.#requests.shift()!);
    }
    if (this.#requests.length === 0 && this.#isFull) {
      this.#isFull = false;
      this.#owner.resume();
    }
    this.#isScheduled = !this.#isInLine && this.#requests.length > 0;
    if (!this.#isScheduled) this.#owner.onPaused();
    return this.#isScheduled;
  }
}
