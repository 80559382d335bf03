import type { Db } from "../../database/database.js";
import { readServedPoint, type ServedPoint } from "../../database/queries/state-readiness.js";

/** How old what is known of the head may be for tagging an answer, in ms. */
const MAX_AGE_MS = 200;
const HASH_DIGITS = 32;

/**
 * Tags for answers that change only with the chain's head and finalization.
 *
 * A tag is read before the answer it is put on, so an answer is never older than its tag says. A tag that is a moment
 * too old costs the client one more transfer, so tagging uses what was read shortly before; whether the client's own
 * copy is still good is decided by the database each time.
 */
export class ChainTag {
  readonly #db: Db;
  readonly #version: string;
  #running: Promise<ServedPoint | undefined> | undefined;
  #next: Promise<ServedPoint | undefined> | undefined;
  #known: { readonly point: Promise<ServedPoint | undefined>; readonly at: number } | undefined;

  /** @param version of the program, which decides how answers look */
  constructor(db: Db, version: string) {
    this.#db = db;
    this.#version = version;
  }

  /**
   * A tag for an answer that is read after this; undefined while nothing is indexed.
   * @param readsState whether the answer is made of state: undefined then too while the state is behind the head, since
   *   it may change without it
   */
  async recent(readsState: boolean): Promise<string | undefined> {
    const { at, point } = this.#known ?? { at: Number.NEGATIVE_INFINITY };
    const isRecent = performance.now() - at <= MAX_AGE_MS;
    return this.#format(await (isRecent ? point : this.#start()), readsState);
  }

  /** The tag of what the database holds now; undefined as in `recent`. */
  async current(readsState: boolean): Promise<string | undefined> {
    return this.#format(await this.#read(), readsState);
  }

  /**
   * One reading at a time: all who ask while it is under way share the next one, which begins after they asked. When it
   * fails they fail with it: a database that has fallen silent would have them wait twice as long as a statement may take.
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
