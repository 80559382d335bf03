import type { Db } from "../../database/database.js";
import { readServedPoint } from "../../database/queries/state-readiness.js";

/** Maximum age of a known head for tagging a response, in ms. */
const MAX_AGE_MS = 200;
const HASH_BYTES = 16;

interface TaggedPoint {
  readonly tag: string;
  /** No state entry is pending. */
  readonly isStateSettled: boolean;
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
 * by the database each time.
 */
export class ChainTag {
  readonly #db: Db;
  readonly #version: string;
  /** The read in progress. */
  #running: Promise<TaggedPoint | undefined> | undefined;
  /** The read that has not begun. */
  #next: Promise<TaggedPoint | undefined> | undefined;
  /** Wait for the read that has not begun. */
  #waiting: Waiting[] = [];
  #known: { readonly point: Promise<TaggedPoint | undefined>; readonly at: number } | undefined;

  /** @param version of the program, which determines the form of responses */
  constructor(db: Db, version: string) {
    this.#db = db;
    this.#version = version;
  }

  /**
   * A tag for a response that is read after this; undefined while nothing is indexed.
   * @param readsState whether the response depends on state: then also undefined while the state lags behind the
   * head,
   *   since it may change without the head
   */
  async recent(readsState: boolean): Promise<string | undefined> {
    const { at, point } = this.#known ?? { at: Number.NEGATIVE_INFINITY };
    const isRecent = performance.now() - at <= MAX_AGE_MS;
    return tagOf(await (isRecent ? point : this.#start()), readsState);
  }

  /** The tag of the database's current content; undefined as in `recent`. */
  async current(readsState: boolean): Promise<string | undefined> {
    this.#next ??= this.#readNext();
    return tagOf(await this.#next, readsState);
  }

  /**
   * The same without a promise for each of the requests that share a read.
   * @param done called with the error of the read, or with the tag
   */
  whenCurrent(readsState: boolean, done: (error: unknown, tag: string | undefined) => void): void {
    if (this.#waiting.push({ readsState, done }) > 1) return;
    this.#next ??= this.#readNext();
    const waiting = this.#waiting;
    this.#next.then(
      (point) => this.#settle(waiting, undefined, point),
      (error: unknown) => this.#settle(waiting, error, undefined),
    );
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
    const known = { point, at: performance.now() };
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
    const point = await readServedPoint(this.#db);
    if (!point) return undefined;
    const { hash, finalizedEpoch, finalizedPoint, isStateSettled } = point;
    const block = hash.toString("hex", 0, HASH_BYTES);
    return { tag: `${this.#version}-${block}-${finalizedEpoch}.${finalizedPoint}`, isStateSettled };
  }
}

function tagOf(point: TaggedPoint | undefined, readsState: boolean): string | undefined {
  return point && (point.isStateSettled || !readsState) ? point.tag : undefined;
}
