import { setTimeout as sleep } from "node:timers/promises";
import { BrokerSubscriber } from "../../catapult/wire/zmq.js";
import type { BrokerMessage } from "../../catapult/wire/zmq-message.js";
import type { IndexContext } from "../chain/step/index-context.js";
import { toChanges } from "./broker-changes.js";
import type { Change } from "./change.js";
import type { ChangeWriter } from "./change-writer.js";
import { hashOf, MessageGroups } from "./message-groups.js";

/** What a broker's messages lead to. */
export interface BrokerFeedUse {
  readonly writer: Pick<ChangeWriter, "write" | "written" | "waiting">;
  /** Selects the changes that apply now. */
  readonly applicable: (changes: readonly Change[]) => readonly Change[];
  /** Whether messages about transactions are processed now; otherwise they are dropped. */
  readonly isListening: () => boolean;
  /** Called when the node's chain or its finalization has changed. */
  readonly onChain: () => void;
  /** Called when the connection is opened or lost. */
  readonly onConnection: () => void;
}

/** Subscribed kinds; confirmations are taken from the blocks themselves. */
export const BROKER_KINDS: readonly BrokerMessage["kind"][] = [
  "block",
  "droppedBlocks",
  "finalizedBlock",
  "unconfirmed",
  "unconfirmedRemoved",
  "partial",
  "partialRemoved",
  "cosignature",
  "status",
];

/** Copies of a message for several addresses are consecutive; after this time without one there are no more, in ms. */
const QUIET_MS = 10;
/** Maximum number of different messages read at once: verifying signatures takes time. */
const MAX_GROUPS = 200;
/** Number of queued changes above which nothing more is read. */
const MAX_QUEUED_CHANGES = 10_000;
/** Number of remembered blocks reported by the broker. */
const MAX_BLOCKS = 200;

/** Passes the broker's messages about transactions to a writer, in order. */
export class BrokerFeed {
  readonly #context: Pick<IndexContext, "network" | "log">;
  readonly #use: BrokerFeedUse;
  readonly #subscriber: BrokerSubscriber;
  readonly #groups = new MessageGroups();
  /** Hashes of the last reported blocks, as hex digits. */
  readonly #blocks = new Set<string>();
  /** Ends the wait for a block; set before its message until it arrives. */
  #awaited: { readonly hash: string; readonly arrived: () => void } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastMessageAt = 0;
  /** False after a wait for a block timed out, until the next block is reported. */
  #isInTime = true;
  /** Hashes of transactions, as hex digits, that were reported since the set was last cleared. */
  readonly reportedHashes = new Set<string>();

  /** @param url endpoint of the node's broker, such as `tcp://127.0.0.1:7902` */
  constructor(url: string, context: Pick<IndexContext, "network" | "log" | "limits">, use: BrokerFeedUse) {
    const { brokerReconnectMs: reconnectMs } = context.limits;
    this.#context = context;
    this.#use = use;
    this.#subscriber = new BrokerSubscriber({
      url,
      log: context.log,
      kinds: BROKER_KINDS,
      onMessage: (message) => this.#take(message),
      onConnected: use.onConnection,
      onDisconnected: use.onConnection,
      ...(reconnectMs && { reconnectMs }),
    });
  }

  get isConnected(): boolean {
    return this.#subscriber.isConnected;
  }

  /**
   * Waits until the broker has reported a block, for at most `ms` milliseconds, and until its earlier messages are
   * written. Does not wait for a broker that was late the last time.
   * @param hash 32 bytes
   */
  async reported(hash: Buffer, ms: number, signal: AbortSignal): Promise<void> {
    const key = hash.toString("hex");
    if (this.isConnected && this.#isInTime && !this.#blocks.has(key) && !signal.aborted) {
      const arrived = new AbortController();
      this.#awaited = { hash: key, arrived: () => arrived.abort() };
      const isLate = await sleep(ms, true, { signal: AbortSignal.any([signal, arrived.signal]) }).catch(() => false);
      this.#awaited = undefined;
      if (isLate) this.#isInTime = false;
    }
    await this.#use.writer.written();
  }

  async close(): Promise<void> {
    await this.#subscriber.close();
    clearTimeout(this.#timer);
    this.#flush(false);
  }

  #take(message: BrokerMessage): void | Promise<void> {
    if (message.kind === "block" || message.kind === "droppedBlocks" || message.kind === "finalizedBlock") {
      this.#flush(false);
      if (message.kind === "block") this.#noteBlock(message.hash);
      this.#use.onChain();
      return;
    }
    if (message.kind === "confirmed" || !this.#use.isListening()) return;
    this.reportedHashes.add(hashOf(message).toString("hex"));
    this.#groups.add(message);
    this.#lastMessageAt = performance.now();
    if (!this.#timer) this.#flushSoon();
    if (this.#groups.size > MAX_GROUPS) this.#flush(true);
    if (this.#use.writer.waiting > MAX_QUEUED_CHANGES) return this.#use.writer.written();
  }

  #noteBlock(blockHash: Buffer): void {
    const key = blockHash.toString("hex");
    this.#isInTime = true;
    this.#blocks.add(key);
    for (const oldest of this.#blocks) {
      if (this.#blocks.size <= MAX_BLOCKS) break;
      this.#blocks.delete(oldest);
    }
    if (this.#awaited?.hash === key) this.#awaited.arrived();
  }

  /** When what has arrived is read: a busy process is late with both. */
  #flushSoon(): void {
    this.#timer = setTimeout(() => setImmediate(this.#flushQuiet), QUIET_MS);
  }

  readonly #flushQuiet = (): void => {
    const isQuiet = performance.now() - this.#lastMessageAt >= QUIET_MS;
    this.#timer = undefined;
    this.#flush(!isQuiet);
    if (this.#groups.size > 0) this.#flushSoon();
  };

  #flush(exceptLast: boolean): void {
    const { network, log } = this.#context;
    const { writer, applicable } = this.#use;
    const changes = applicable(this.#groups.take(exceptLast).flatMap((group) => toChanges(group, network, log)));
    if (changes.length > 0) void writer.write(changes);
  }
}
