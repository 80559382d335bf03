import type { Change } from "./change.js";
import type { NodePool } from "./node-pool.js";

/**
 * What the followed node has pending while it is not the broker's node. These nodes may be on different branches: what one
 * of them removes or rejects can still be confirmed, as long as the other one has it.
 */
export class OtherPool {
  /** Hashes in two polls, as hex digits: what is missing once may have moved into a block since its height was asked. */
  #polls: readonly [ReadonlySet<string>, ReadonlySet<string>] = [new Set(), new Set()];
  /** Removals and rejections by the broker's node of what the followed node has. */
  readonly #postponed = new Map<string, readonly Change[]>();

  /** Whether anything is pending here. */
  get isOpen(): boolean {
    return this.#postponed.size > 0 || this.#polls.some(({ size }) => size > 0);
  }

  /** The broker's changes that apply now, and not when the followed node has the transaction no longer. */
  applicable(changes: readonly Change[]): Change[] {
    return changes.filter((change) => {
      const key = change.hash.toString("hex");
      const isEnd =
        change.kind === "unconfirmedRemoved" || change.kind === "partialRemoved" || change.kind === "rejectedByNode";
      if (isEnd && this.#polls.some((hashes) => hashes.has(key))) {
        const others = this.#postponed.get(key)?.filter(({ kind }) => kind !== change.kind) ?? [];
        this.#postponed.set(key, [...others, change]);
        return false;
      }
      // The broker's node has it again.
      if (!isEnd) this.#postponed.delete(key);
      return true;
    });
  }

  /**
   * @param pool of the followed node; undefined if that is the broker's, or its pool does not count
   * @param isBehind whether the node had blocks before that are not here yet: what it lacks may be in one of them
   * @returns the postponed changes that apply now
   */
  polled(pool: NodePool | undefined, isBehind = false): Change[] {
    const hashes = new Set([...(pool?.unconfirmed.keys() ?? []), ...(pool?.partial.keys() ?? [])]);
    const [newest, before] = this.#polls;
    if (isBehind) {
      this.#polls = [new Set([...newest, ...hashes]), before];
      return [];
    }
    this.#polls = [hashes, newest];
    const due = [...this.#postponed].filter(([key]) => !this.#polls.some((known) => known.has(key)));
    for (const [key] of due) this.#postponed.delete(key);
    return due.flatMap(([, changes]) => changes);
  }
}
