import { Alarm } from "../../catapult/wire/alarm.js";
import { Backoff } from "../../catapult/wire/backoff.js";
import { NodeError, NodeResponseError, NodeUnavailableError, PacketError } from "../../catapult/wire/errors.js";
import { NetworkClock } from "../../catapult/wire/network-clock.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { readRejections } from "../../database/mempool/rejected-announcements.js";
import { reportDatabaseLost } from "../../database/outage.js";
import { findBlockRow } from "../../database/queries/blocks.js";
import { readHead } from "../../database/queries/head.js";
import { transactionRulesAt } from "../../ledger/config/network-config.js";
import type { BlockRange } from "../chain/step/block-range.js";
import type { IndexContext } from "../chain/step/index-context.js";
import type { RangeListener } from "../chain/step/range-listener.js";
import { Suspensions } from "../nodes/suspensions.js";
import type { BrokerFeed } from "./broker-feed.js";
import { ChangeWriter } from "./change-writer.js";
import { findExpired, findSettled, forgetExpired } from "./deadlines.js";
import { rejectUnlocked } from "./held-announcements.js";
import { MissingAnnouncements } from "./missing-announcements.js";
import { type NodePool, NodePoolReader } from "./node-pool.js";
import { OtherPool } from "./other-pool.js";
import { PoolDifferences, readKnownPending } from "./pool-differences.js";
import { prune } from "./prune.js";
import { Pusher } from "./push-again.js";

export interface MempoolSources {
  readonly node: NodeClient;
  /** Endpoint of the node's broker, such as `tcp://127.0.0.1:7902`; without it the pool is polled only. */
  readonly zmqUrl: string | undefined;
  /** Whether the currently connected node is the broker's. */
  readonly isBrokersNode: () => boolean;
}

/** The broker reports a block up to 300 ms after the node has it; maximum wait for it, in ms. */
const BROKER_DELAY_MS = 500;
const POLLS_PER_LOOK_WITH_BROKER = 10;
/** Interval of checking deadlines and announcements, in ms, unless the node is polled more often. */
const KEEPING_MS = 400;
const MAX_REJECTIONS = 1_000;
/** How long a node's pool is ignored the first time, in ms. */
const IGNORED_FOR_MS = 60_000;
const PRUNE_EVERY_MS = 10 * 60_000;
/**
 * A block contains no transaction whose deadline is before its timestamp; without new blocks, it expires after this
 * additional time, in ms.
 */
const GRACE_MS = 60_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/**
 * Follows pending transactions, beside the follower of blocks, in step with it: messages of the node's broker and
 * changes of its pool are written with their events; deadlines are watched, and announcements of gateways are pushed
 * again until the node reports them.
 */
export class Mempool implements RangeListener {
  readonly #context: IndexContext;
  readonly #sources: MempoolSources;
  /** Interval of polling the pool, in ms; ten times as long if a broker reports it and nothing differs. */
  readonly #pollMs: number;
  readonly #signal: AbortSignal;
  readonly #writer: ChangeWriter;
  readonly #differences: PoolDifferences;
  readonly #poolReader: NodePoolReader;
  /** Nodes whose pools are ignored, because they exceeded the limits or contained what no node accepts. */
  readonly #ignored = new Suspensions<string | undefined>(IGNORED_FOR_MS);
  readonly #otherPool = new OtherPool();
  readonly #missing: MissingAnnouncements;
  readonly #pusher: Pusher;
  readonly #clock: NetworkClock;
  /** Wakes the follower of blocks. */
  readonly #chainAlarm = new Alarm();
  /** Wakes the polling of the node's pool. */
  readonly #poolAlarm = new Alarm();
  readonly #keepingAlarm = new Alarm();
  #feed: BrokerFeed | undefined;
  #loops: Promise<void>[] = [];
  /** Whether the index is near the node's head: pending transactions are relevant only then. */
  #isNear = false;
  /** Whether the index has everything that the node has. */
  #isAtHead = false;
  /** Deadlines up to this time have passed, in ms since the network's epoch. */
  #expiredUntil = 0;

  private constructor(context: IndexContext, sources: MempoolSources, signal: AbortSignal) {
    const { config, limits } = context;
    const { node } = sources;
    this.#context = context;
    this.#sources = sources;
    this.#signal = signal;
    this.#pollMs = limits.poolPollMs ?? limits.pollMs;
    this.#writer = new ChangeWriter(context, signal);
    this.#differences = new PoolDifferences(context);
    this.#poolReader = new NodePoolReader(node, context);
    this.#missing = new MissingAnnouncements(context);
    this.#pusher = new Pusher(node, context, () => this.#poolReader.takesPartial);
    this.#clock = new NetworkClock(node, () => Date.now() - config.epochAdjustment);
  }

  /** Starts following; it ends when `signal` is aborted, see {@link ended}. */
  static async start(context: IndexContext, sources: MempoolSources, signal: AbortSignal): Promise<Mempool> {
    const mempool = new Mempool(context, sources, signal);
    // An existing index is assumed to be near until its next step shows otherwise.
    mempool.#isNear = ((await readHead(context.db))?.height ?? 0) > 0;
    if (sources.zmqUrl) await mempool.#listen(sources.zmqUrl);
    mempool.#loops = [mempool.#watchPool(), mempool.#keep()];
    return mempool;
  }

  /** Resolves when everything has ended after the signal was aborted. */
  async ended(): Promise<void> {
    await this.#feed?.close();
    await Promise.all(this.#loops);
    await this.#writer.written();
  }

  async awaitNews(pollMs: number, signal: AbortSignal): Promise<void> {
    this.#isAtHead = true;
    if (!this.#isNear) this.#poolAlarm.ring();
    this.#isNear = true;
    await this.#chainAlarm.sleep(pollMs, signal);
    this.#isAtHead = false;
  }

  async beforeWriting({ emitsEvents, end }: BlockRange, nodeHeight: number, signal: AbortSignal): Promise<void> {
    const isTip = emitsEvents && end.height === nodeHeight;
    if (isTip && this.#isNear) await this.#feed?.reported(end.hash, BROKER_DELAY_MS, signal);
  }

  afterWriting({ emitsEvents, rollBackTo }: Pick<BlockRange, "emitsEvents" | "rollBackTo">): void {
    this.#isNear = emitsEvents;
    if (!rollBackTo) return;
    void this.#writer.afterRollBack();
    this.#poolAlarm.ring();
  }

  /** The driver is native code: it is loaded only if needed. */
  async #listen(url: string): Promise<void> {
    const { BrokerFeed } = await import("./broker-feed.js");
    this.#feed = new BrokerFeed(url, this.#context, {
      writer: this.#writer,
      isListening: () => this.#isNear,
      applicable: (changes) => this.#otherPool.applicable(changes),
      onChain: this.#chainAlarm.ring,
      onConnection: this.#poolAlarm.ring,
    });
  }

  async #watchPool(): Promise<void> {
    const isOpen = () => this.#differences.isOpen || this.#otherPool.isOpen || !this.#sources.isBrokersNode();
    await this.#repeat(
      this.#poolAlarm,
      () => this.#pollMs * (this.#feed?.isConnected && !isOpen() ? POLLS_PER_LOOK_WITH_BROKER : 1),
      () => this.#lookIntoPool(),
    );
  }

  async #lookIntoPool(): Promise<void> {
    const { db, config } = this.#context;
    const { node: client, isBrokersNode } = this.#sources;
    const feed = this.#feed;
    // What is reported from here on is newer than the poll.
    feed?.reportedHashes.clear();
    if (!this.#isNear) return;
    const { height } = await client.chainStatistics();
    const node = client.connectedNode?.node;
    if (this.#ignored.has(node)) return this.#writer.write(this.#otherPool.polled(undefined));
    const pool = await this.#readPool();
    if (pool.isTooLarge) this.#ignore(node, "they exceed the limits");
    const isBehind = ((await readHead(db))?.height ?? 0) < height;
    await this.#writer.write(this.#otherPool.polled(isBrokersNode() ? undefined : pool, isBehind));
    // Another node has another pool: while the broker reports the first one's, that one counts.
    if (feed?.isConnected && !isBrokersNode()) return;
    const known = await readKnownPending(db);
    const changes = await this.#differences.compare(pool, known, {
      isReported: (hash) => feed?.reportedHashes.has(hash) ?? false,
      expiredUntil: this.#expiredUntil,
      settledMs: feed?.isConnected ? 2 * BROKER_DELAY_MS : 0,
      rules: transactionRulesAt(config, height + 1),
    });
    if (this.#differences.isJunk) this.#ignore(node, "they are invalid");
    const identity = client.connectedNode?.publicKey;
    // A broker reports what its node rejects.
    const missing = feed?.isConnected || isBehind || !identity ? [] : await this.#missing.polled(pool, identity);
    await this.#writer.write([...changes, ...missing]);
  }

  /** A response that is too large or malformed is not requested again soon: it would end the connection each time. */
  async #readPool(): Promise<NodePool> {
    try {
      return await this.#poolReader.read();
    } catch (error) {
      const isInvalid = error instanceof PacketError || error instanceof NodeResponseError;
      if (isInvalid) this.#ignore(error.node, error.reason);
      throw error;
    }
  }

  #ignore(node: string | undefined, problem: string): void {
    const { log, metrics } = this.#context;
    const ignoredForMs = this.#ignored.add(node);
    metrics?.rejectedData("pool");
    log.error({ node, problem, ignoredForMs }, "Ignoring the pending transactions of a node");
  }

  async #keep(): Promise<void> {
    let prunedAt = Number.NEGATIVE_INFINITY;
    /** The limit according to the newest block's time in the previous round: in between, the node may report first. */
    let expiredByBlocks = 0;
    const waitMs = Math.min(KEEPING_MS, 2 * this.#pollMs);
    await this.#repeat(
      this.#keepingAlarm,
      () => waitMs,
      async () => {
        const { db, network, config, log } = this.#context;
        if (!this.#isNear) return;
        // A node's clock that is far ahead of this machine's would end every pending transaction.
        const latest = Date.now() - config.epochAdjustment + GRACE_MS;
        const now = Math.min(await this.#clock.now(), latest);
        await this.#expire(Math.max(expiredByBlocks, this.#isAtHead ? now - GRACE_MS : 0));
        expiredByBlocks = await timestampOfHead(db);
        // A transaction that left the pool for a block is not in the index before that block is.
        if (this.#isAtHead) await this.#writer.write(await findSettled(db));
        await this.#pusher.pushDue(now);
        // Before the newest block is in the index, its locks are unknown.
        if (this.#isAtHead) await db.transaction().execute((trx) => rejectUnlocked(trx, network, now));
        // Rejections by gateways after a 202 get their status here, where all others are written.
        const rejections = await readRejections(db, MAX_REJECTIONS);
        await this.#writer.write(rejections.map((rejection) => ({ kind: "rejected", ...rejection })));
        if (performance.now() - prunedAt < PRUNE_EVERY_MS) return;
        await prune(db, log);
        prunedAt = performance.now();
      },
    );
  }

  async #expire(until: number): Promise<void> {
    const { db, network, log } = this.#context;
    if (until <= 0) return;
    this.#expiredUntil = until;
    const expired = await findExpired(db, network, until, log);
    await this.#writer.write(expired);
    if (!this.#signal.aborted) await forgetExpired(db, until, expired);
  }

  /** Repeats `work` until it is stopped; failures are logged, and retried with increasing delays. */
  async #repeat(alarm: Alarm, waitMs: () => number, work: () => Promise<void>): Promise<void> {
    const { log } = this.#context;
    const backoff = new Backoff({ initialMs: FIRST_RETRY_MS, maxMs: LONGEST_RETRY_MS });
    while (!this.#signal.aborted) {
      let ms = waitMs();
      try {
        await work();
        backoff.reset();
      } catch (error) {
        if (this.#signal.aborted) return;
        ms = Math.max(ms, backoff.next());
        // The follower of blocks logs failures of the node: it uses the same one.
        const level = error instanceof NodeError || error instanceof NodeUnavailableError ? "debug" : "error";
        if (!reportDatabaseLost(log, error))
          log[level]({ err: error, retryMs: Math.round(ms) }, "Following pending transactions failed; trying again");
      }
      await alarm.sleep(ms, this.#signal);
    }
  }
}

/** Milliseconds since the network's epoch; 0 before the first block. */
async function timestampOfHead(db: Db): Promise<number> {
  const head = await readHead(db);
  const block = head && (await findBlockRow(db, head.height));
  return block?.timestamp ?? 0;
}
