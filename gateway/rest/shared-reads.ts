import { keep } from "../../catapult/json/recycled-bytes.js";
import type { Answer } from "./routes/route.js";

interface SharedRead {
  readonly answer: Promise<Answer>;
  /** Whether it has more than one request. */
  isShared: boolean;
}

/**
 * Requests for the same URL that arrive together share one read, as when a new block makes many clients load the same
 * page. A read starts at the end of the turn of the event loop in which the first of them arrived, so each of them gets
 * what was there after it arrived.
 */
export class SharedReads {
  /** Reads that have not started, by URL. */
  readonly #waiting = new Map<string, SharedRead>();

  /** Whether a read of a URL is going to start: one more request costs little. */
  has(url: string): boolean {
    return this.#waiting.has(url);
  }

  /** The answer to a URL, from a read that starts later. @throws what `read` throws */
  share(url: string, read: () => Promise<Answer>): Promise<Answer> {
    const others = this.#waiting.get(url);
    if (others) {
      others.isShared = true;
      return others.answer;
    }
    const answer = new Promise<Answer>((resolve, reject) => {
      setImmediate(() => {
        this.#waiting.delete(url);
        read().then((found) => {
          // The first response that was sent must not give it back: others are being sent.
          if (own.isShared && Buffer.isBuffer(found.body)) keep(found.body);
          resolve(found);
        }, reject);
      });
    });
    const own = { answer, isShared: false };
    this.#waiting.set(url, own);
    return answer;
  }
}
