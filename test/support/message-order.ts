/** A message of any interface. */
export interface OrderedMessage {
  readonly channel: string;
  readonly sequence: number;
  readonly data: unknown;
}

interface AnyData {
  readonly hash?: string;
  readonly parentHash?: string;
  readonly code?: string;
  readonly height?: string;
  readonly meta?: { readonly hash?: string; readonly height?: string };
  readonly block?: { readonly height: string };
}

const PENDING = { unconfirmedAdded: "unconfirmed", partialAdded: "partial" } as const;
const GONE = { unconfirmedRemoved: "unconfirmed", partialRemoved: "partial" } as const;

/**
 * Checks messages of all channels, as they were received, against the promises of docs/websocket.md: each once; a
 * fork's `droppedBlocks` first; for each block the removals of its transactions, `block`, their `confirmedAdded`; no
 * transaction fails while it is alive, or twice in a row for the same reason.
 */
export class MessageOrder {
  readonly problems: string[] = [];
  /** Number of messages of each channel. */
  readonly counts: Record<string, number> = {};
  #sequence = 0;
  #height: number | undefined;
  readonly #pending = { unconfirmed: new Set<string>(), partial: new Set<string>() };
  /** What was pending when the newest block was received. */
  #pendingAtBlock = new Set<string>();
  readonly #confirmed = new Map<string, number>();
  /** The last code of those that have failed. */
  readonly #failed = new Map<string, string>();

  take({ channel, sequence, data }: OrderedMessage): void {
    this.counts[channel] = (this.counts[channel] ?? 0) + 1;
    if (sequence <= this.#sequence) this.#wrong(`${channel} ${sequence} after ${this.#sequence}`);
    this.#sequence = Math.max(sequence, this.#sequence);
    const { hash: own, parentHash, code = "", height, meta, block } = data as AnyData;
    const hash = own ?? parentHash ?? meta?.hash ?? "";
    if (channel === "droppedBlocks") this.#drop(Number(height));
    else if (channel === "block") this.#block(Number(block?.height));
    else if (channel === "confirmedAdded") this.#confirm(hash, Number(meta?.height));
    else if (channel === "status") {
      if (this.#isAlive(hash)) this.#wrong(`status of a living transaction, ${hash}`);
      if (this.#failed.get(hash) === code) this.#wrong(`${code} twice, ${hash}`);
      this.#failed.set(hash, code);
    } else if (channel === "cosignature") {
      if (!this.#pending.partial.has(hash)) this.#wrong(`cosignature of none that is partial, ${hash}`);
    } else if (channel in PENDING) {
      const group = this.#pending[PENDING[channel as keyof typeof PENDING]];
      if (group.has(hash)) this.#wrong(`${channel} twice, ${hash}`);
      if (this.#confirmed.has(hash)) this.#wrong(`${channel} of a confirmed one, ${hash}`);
      if (channel === "unconfirmedAdded" && this.#pending.partial.has(hash))
        this.#wrong(`both partial and not, ${hash}`);
      group.add(hash);
      this.#failed.delete(hash);
    } else if (channel in GONE) {
      const group = this.#pending[GONE[channel as keyof typeof GONE]];
      if (!group.delete(hash)) this.#wrong(`${channel} of none, ${hash}`);
    }
  }

  /** Heights of the confirmed transactions, by hash. */
  get confirmed(): ReadonlyMap<string, number> {
    return this.#confirmed;
  }

  #isAlive(hash: string): boolean {
    return this.#confirmed.has(hash) || this.#pending.unconfirmed.has(hash) || this.#pending.partial.has(hash);
  }

  #drop(kept: number): void {
    this.#height = kept;
    for (const [hash, height] of this.#confirmed) if (height > kept) this.#confirmed.delete(hash);
  }

  #block(height: number): void {
    if (this.#height !== undefined && height !== this.#height + 1) this.#wrong(`block ${height} after ${this.#height}`);
    this.#height = height;
    this.#pendingAtBlock = new Set([...this.#pending.unconfirmed, ...this.#pending.partial]);
  }

  #confirm(hash: string, height: number): void {
    this.#failed.delete(hash);
    if (height !== this.#height) this.#wrong(`confirmed in ${height} after block ${this.#height}, ${hash}`);
    if (this.#pendingAtBlock.has(hash)) this.#wrong(`its block before its removal, ${hash}`);
    if (this.#confirmed.has(hash)) this.#wrong(`confirmed twice, ${hash}`);
    this.#confirmed.set(hash, height);
  }

  #wrong(problem: string): void {
    this.problems.push(problem);
  }
}
