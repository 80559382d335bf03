import type { Db } from "../../database/database.js";
import { LEASE_MS, readServedPoint } from "../../database/queries/state-readiness.js";

/** Maximum age of a known head for tagging a response, in ms. */
const MAX_AGE_MS = 200;
const HASH_BYTES = 16;
/** How long before its end a lease is renewed, in ms. */
const RENEW_MS = LEASE_MS / 2;

interface TaggedPoint {
  readonly tag: string;
  /** No state entry is pending. */
  readonly isStateSettled: boolean;
  /** Until when it stays as it is, in ms of the clock; in the past without a lease. */
  readonly leasedUntil: number;
}

/** A request that waits for a read. */
interface Waiting {
  readonly readsState: boolean;
  readonly done: (error: unknown, tag: string | undefined) => void;
}

/**
 * Tags for responses that change only with the chain's head and finalization.
 *
 * A tag is read before its response, so a response is never older than its tag. A tag that is slightly too old costs
 * the client one more transfer, so tagging uses a recently read head; whether the client's copy is current is decided
 * by the database each time, or by a lease: the database's promise that the head stays where it is for a few ms.
 */
export class ChainTag {
  readonly #db: Db;
  readonly #version: string;
  readonly #now: () => number;
  /** The read in progress. */
  #running: Promise<TaggedPoint | undefined> | undefined;
  /** The read that has not begun. */
  #next: Promise<TaggedPoint | undefined> | undefined;
  /** Wait for the read that has not begun. */
  #waiting: Waiting[] = [];
  /** The newest point that was read with a lease. */
  #leased: TaggedPoint | undefined;
  #known: { readonly point: Promise<TaggedPoint | undefined>; readonly at: number } | undefined;

  /**
   * @param version of the program, which determines the form of responses
   * @param now a clock that is never set, in ms
   */
  constructor(db: Db, version: string, now = () => performance.now()) {
    this.#db = db;
    this.#version = version;
    this.#now = now;
  }

  /**
   * A tag for a response that is read after this; undefined while nothing is indexed.
   * @param readsState whether the response depends on state: then also undefined while the state lags behind the
   * head,
   *   since it may change without the head
   */
  async recent(readsState: boolean): Promise<string | undefined> {
    const { at, point } = this.#known ?? { at: Number.NEGATIVE_INFINITY };
    const isRecent = this.#now() - at <= MAX_AGE_MS;
    return tagOf(await (isRecent ? point : this.#start()), readsState);
  }

  /** The tag of the database's current content; undefined as in `recent`. */
  async current(readsState: boolean): Promise<string | undefined> {
    if (this.#isLeased()) return tagOf(this.#leased, readsState);
    this.#next ??= this.#readNext();
    return tagOf(await this.#next, readsState);
  }

  /**
   * The same without a promise for each of the requests that share a read.
   * @param done called with the error of the read, or with the tag; at once while there is a lease
   */
  whenCurrent(readsState: boolean, done: (error: unknown, tag: string | undefined) => void): void {
    if (this.#isLeased()) return void done(undefined, tagOf(this.#leased, readsState));
    if (this.#waiting.push({ readsState, done }) > 1) return;
    this.#next ??= this.#readNext();
    const waiting = this.#waiting;
    this.#next.then(
      (point) => this.#settle(waiting, undefined, point),
      (error: unknown) => this.#settle(waiting, error, undefined),
    );
  }

  /** Renews a lease that is used, so that requests need not wait when it ends. */
  #isLeased(): boolean {
    if (!this.#leased) return false;
    const leftMs = this.#leased.leasedUntil - this.#now();
    if (leftMs > 0 && leftMs < RENEW_MS && !this.#running) this.#start().catch(() => undefined);
    return leftMs > 0;
  }

  #settle(waiting: Waiting[], error: unknown, point: TaggedPoint | undefined): void {
    for (const { readsState, done } of waiting) done(error, tagOf(point, readsState));
  }

  /**
   * One read at a time: requests that arrive in one turn of the event loop, or during a read, share the next one, which
   * begins after they arrived. If a read fails, the next one fails with it: with a silent database the requests would
   * otherwise wait twice as long as a statement timeout.
   */
  async #readNext(): Promise<TaggedPoint | undefined> {
    try {
      await (this.#running ?? new Promise<void>((resolve) => setImmediate(resolve)));
    } finally {
      this.#next = undefined;
      // Those who come from now on wait for a later read.
      this.#waiting = [];
    }
    return this.#start();
  }

  #start(): Promise<TaggedPoint | undefined> {
    const point = this.#read();
    const known = { point, at: this.#now() };
    this.#known = known;
    this.#running = point;
    const end = () => {
      if (this.#running === point) this.#running = undefined;
    };
    point.then(end, () => {
      if (this.#known === known) this.#known = undefined;
      end();
    });
    return point;
  }

  async #read(): Promise<TaggedPoint | undefined> {
    const since = this.#now();
    const point = await readServedPoint(this.#db);
    if (!point) return undefined;
    const { hash, finalizedEpoch, finalizedPoint, isStateSettled, hasLease } = point;
    const block = hash.toString("hex", 0, HASH_BYTES);
    const tag = `${this.#version}-${block}-${finalizedEpoch}.${finalizedPoint}`;
    if (!hasLease) return { tag, isStateSettled, leasedUntil: Number.NEGATIVE_INFINITY };
    this.#leased = { tag, isStateSettled, leasedUntil: since + LEASE_MS };
    return this.#leased;
  }
}

function tagOf(point: TaggedPoint | undefined, readsState: boolean): string | undefined {
  return point && (point.isStateSettled || !readsState) ? point.tag : undefined;
}
