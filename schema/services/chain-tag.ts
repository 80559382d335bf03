import type { Db } from "../../database/database.js";
import { readServedPoint, type ServedPoint } from "../../database/queries/state-readiness.js";

/** Maximum age of a known head for tagging a response, in ms. */
const MAX_AGE_MS = 200;
const HASH_DIGITS = 32;

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
  #running: Promise<ServedPoint | undefined> | undefined;
  #next: Promise<ServedPoint | undefined> | undefined;
  #known: { readonly point: Promise<ServedPoint | undefined>; readonly at: number } | undefined;

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
    return this.#format(await (isRecent ? point : this.#start()), readsState);
  }

  /** The tag of the database's current content; undefined as in `recent`. */
  async current(readsState: boolean): Promise<string | undefined> {
    return this.#format(await this.#read(), readsState);
  }

  /**
   * One read at a time: requests that arrive during a read share the next one, which begins after they arrived. If it
   * fails, they fail with it: with a silent database they would otherwise wait twice as long as a statement timeout.
   */
  #read(): Promise<ServedPoint | undefined> {
    if (!this.#running) return this.#start();
    this.#next ??= this.#running
      .finally(() => {
        this.#next = undefined;
      })
      .then(() => this.#read());
    return this.#next;
  }

  #start(): Promise<ServedPoint | undefined> {
    const point = readServedPoint(this.#db);
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

  #format(point: ServedPoint | undefined, readsState: boolean): string | undefined {
    if (!point || (readsState && !point.isStateSettled)) return undefined;
    const block = point.hash.toString("hex").slice(0, HASH_DIGITS);
    return `${this.#version}-${block}-${point.finalizedEpoch}.${point.finalizedPoint}`;
  }
}
