import type { Db } from "../schema/db/database.js";
import { type Head, readHead } from "../schema/db/head.js";

/** How old what is known of the head may be for tagging an answer, in ms. */
const MAX_AGE_MS = 200;
const HASH_DIGITS = 32;

/**
 * Entity tags for answers that change only with the chain's head and finalization.
 *
 * A tag is read before the answer it is put on, so an answer is never older than its tag says. A tag that is a moment
 * too old costs the client one more transfer, so tagging uses what was read shortly before; whether the client's own
 * copy is still good is decided by the database each time.
 */
export class ChainTag {
  readonly #db: Db;
  readonly #version: string;
  #known: { readonly head: Promise<Head | undefined>; readonly at: number } | undefined;

  /** @param version of the program, which decides how answers look */
  constructor(db: Db, version: string) {
    this.#db = db;
    this.#version = version;
  }

  /** A tag for an answer that is read after this; undefined while nothing is indexed. */
  async recent(): Promise<string | undefined> {
    const now = performance.now();
    if (!this.#known || now - this.#known.at > MAX_AGE_MS) {
      const head = readHead(this.#db);
      const known = { head, at: now };
      this.#known = known;
      head.catch(() => {
        if (this.#known === known) this.#known = undefined;
      });
    }
    return this.#format(await this.#known.head);
  }

  /** The tag of what the database holds now. */
  async current(): Promise<string | undefined> {
    return this.#format(await readHead(this.#db));
  }

  #format(head: Head | undefined): string | undefined {
    if (!head) return undefined;
    const { hash, finalization } = head;
    const block = hash.toString("hex").slice(0, HASH_DIGITS);
    return `W/"${this.#version}-${block}-${finalization.epoch}.${finalization.point}"`;
  }
}
