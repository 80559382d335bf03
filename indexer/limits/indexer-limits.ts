import { MAX_PENDING } from "../../database/mempool/pending-transactions.js";

/** Clocks and sizes of an indexer. But for `eventRetentionMs`, no setting changes them: tests do. */
export interface IndexerLimits {
  /** How long events are kept, in ms. */
  readonly eventRetentionMs: number;
  /** Interval of deleting old events, in ms. */
  readonly pruneMs: number;
  /**
   * Blocks at least this far below the node's head emit no events, and are filled in large ranges if there are as many of
   * them.
   */
  readonly eventBlocks: number;
  /** Interval of polling the node, in ms. */
  readonly pollMs: number;
  /** Interval of polling the node's pool, in ms; by default as the node is. */
  readonly poolPollMs?: number;
  /** Maximum number of pending transactions per group. */
  readonly maxPending: number;
  /** Delays between two attempts to connect to the broker, in ms, if others than usual. */
  readonly brokerReconnectMs?: { readonly first: number; readonly longest: number };
  /** Maximum number of blocks per request to a node: as many as a node sends at once by default. */
  readonly requestBlocks: number;
  /** How long a node may be silent during a response, in ms, if another time than usual. */
  readonly requestTimeoutMs?: number;
  /** Interval of comparing the scores of several nodes, in ms. */
  readonly compareMs: number;
  /** How long a node is dropped the first time, in ms; doubling each time, up to an hour. */
  readonly dropMs: number;
  /** Maximum delay after an error, in ms; the first one is 500, doubling each time. */
  readonly maxRetryMs: number;
  /** After this time with failures alone, the writer lock is left to a standby, in ms. */
  readonly stuckAfterMs: number;
  /** After this time without an answer, the database is asked whether it responds, in ms, if another time than usual. */
  readonly probeAfterMs?: number;
  /** From this number of blocks on, an empty index is filled without most of its database indexes. */
  readonly deferIndexesFrom: number;
}

export const DEFAULT_LIMITS: IndexerLimits = {
  eventRetentionMs: 24 * 3_600_000,
  pruneMs: 60_000,
  eventBlocks: 5_000,
  pollMs: 1_000,
  maxPending: MAX_PENDING,
  requestBlocks: 42,
  compareMs: 8_000,
  dropMs: 60_000,
  maxRetryMs: 30_000,
  stuckAfterMs: 15_000,
  deferIndexesFrom: 5_000,
};
