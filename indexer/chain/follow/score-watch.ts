import { setTimeout as sleep } from "node:timers/promises";
import { endpointName } from "../../../catapult/wire/connection.js";
import type { NodeEndpoint } from "../../../catapult/wire/node-connector.js";
import { joinScore } from "../../../catapult/wire/requests.js";
import { type Head, readHead } from "../../../database/queries/head.js";
import type { FollowedNodes } from "../../nodes/followed-nodes.js";
import type { RangeWatch } from "../fill/range-options.js";
import type { ChainEnd } from "../step/chain-position.js";
import { ClaimedScoreError } from "../step/errors.js";
import type { IndexContext } from "../step/index-context.js";

/** What the followed node has done since it was connected, or since it last had nothing more than the index. */
interface Probation {
  readonly node: NodeEndpoint | undefined;
  /** How long its answers had been awaited before. */
  readonly waitedMs: number;
  /** The height before the first block that was verified since. */
  from: number;
  /** Up to which its blocks were verified since. */
  verified: number;
  /** Since when it claims more, and nothing more was verified; ms of this process. */
  withheldSince: number | undefined;
}

/** What the other nodes claimed at a comparison, and how high the index was. */
interface Comparison {
  /** ms of this process. */
  readonly at: number;
  readonly height: number;
  readonly claims: ReadonlyMap<NodeEndpoint, bigint>;
}

/** While another node claims more, the next comparison comes sooner by this factor. */
const SOONER = 3;
/** How often the waiting time for a node is checked between two comparisons. */
const CHECKS_BETWEEN = 20;
/** How long another node has time to answer, in ms. */
const LOOK_MS = 3_000;
/** The nodes share the time of a comparison; but each has this, in ms. */
const MIN_PATIENCE_MS = 1_000;
/** A node that sends as many verified blocks per second need not have sent all of them. */
const VERIFIED_BLOCKS_PER_SECOND = 10;
/** An index that writes fewer blocks per second does not catch up. */
const MIN_BLOCKS_PER_SECOND = 1;
/** A branch is given up after this number of comparisons without a further block of it. */
const COMPARISONS_WITHOUT_PROGRESS = 6;

/**
 * Which of several nodes is followed. A score counts if it was computed here, from verified blocks; what a node claims
 * decides only which node is asked:
 *
 * | case | consequence |
 * |---|---|
 * | the followed node is on another branch | blocks are dropped only when its blocks, verified, have a higher score: until then they are executed and forgotten |
 * | it claims more than the index has, and round after round nothing more could be verified or written, for the time between two comparisons | it is dropped, as for other invalid data |
 * | nothing was written from it yet, and its answers have been awaited for that time, and longer by what was verified | it is left, for as long as if it were dropped |
 * | the index has not reached what another node claimed at the comparison before, and does not catch up | that node is followed |
 *
 * Who follows a node that is left or dropped: the last one that something was written from. Of nodes that claim more, it
 * comes first too. The nodes share that time. Each time that all of them were
 * left and nothing was written, they have twice as long.
 *
 * So no node can pull the index to a lower score, nor keep it from a higher one. With a single node nothing is compared:
 * there is nothing else to follow.
 */
export class ScoreWatch implements RangeWatch {
  readonly #context: Pick<IndexContext, "db" | "network" | "log">;
  readonly #nodes: FollowedNodes;
  readonly #compareMs: number;
  #before: Comparison | undefined;
  #probation: Probation | undefined;
  /** How often a node was left or dropped here since something was written. */
  #leftInARow = 0;
  /** Whether another node claimed more at the last comparison. */
  #isBehind = false;
  /** The verified score of a branch whose first blocks are written, and when the index last came closer to it. */
  #proven: { readonly score: bigint; at: number } | undefined;

  constructor(context: Pick<IndexContext, "db" | "network" | "log" | "limits">, nodes: FollowedNodes) {
    this.#context = context;
    this.#nodes = nodes;
    this.#compareMs = context.limits.compareMs;
  }

  /** Whether there are several nodes: then blocks are dropped for a higher verified score only. */
  get isComparing(): boolean {
    return this.#nodes.count > 1;
  }

  /** Whether a chain could have a higher score than the index, by what the node claims. */
  mayBeHigher(claimed: bigint, head: Head): boolean {
    return claimed > this.#scoreToExceed(head.score);
  }

  /**
   * Whether a branch of the followed node has a higher score. Its blocks are verified like all others, and forgotten, until
   * the score is higher. So memory does not grow with their bytes, and no block is dropped before all this is verified.
   *
   * @param ends of verified parts of the branch, the lowest first
   */
  async isHigher(head: Head, ends: AsyncIterable<ChainEnd>): Promise<boolean> {
    const toExceed = this.#scoreToExceed(head.score);
    for await (const { score } of ends) {
      if (score <= toExceed) continue;
      this.#proven = { score, at: performance.now() };
      this.#progressed();
      return true;
    }
    return false;
  }

  /** A branch of the followed node is verified up to this height. */
  verified(height: number): void {
    const probation = this.#currentProbation();
    probation.from = Math.min(probation.from, height - 1);
    if (height > probation.verified) probation.withheldSince = undefined;
    probation.verified = Math.max(probation.verified, height);
  }

  /** Something of the followed node was written: it is not left for waiting any more. */
  wrote(): void {
    if (this.#proven) this.#proven.at = performance.now();
    this.#nodes.wrote();
    this.#leftInARow = 0;
    this.#progressed();
  }

  /**
   * To be called after each round, with the score of the index before it.
   *
   * @throws ClaimedScoreError when the node claims a higher score for long, and nothing more of it could be verified
   */
  afterRound(indexed: bigint, claimed: bigint, hasMoved: boolean): void {
    if (!this.isComparing || hasMoved || claimed <= indexed) {
      this.#progressed();
      return;
    }
    const probation = this.#currentProbation();
    const now = performance.now();
    probation.withheldSince ??= now;
    const ms = now - probation.withheldSince;
    if (ms <= this.#patienceMs) return;
    this.#leftInARow += 1;
    this.#progressed();
    throw new ClaimedScoreError(claimed, indexed, ms);
  }

  /** Compares periodically until `signal` is aborted. Unreachable nodes are skipped. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#repeat(signal, () => this.#compareMs / (this.#isBehind ? SOONER : 1), this.#compare),
      this.#repeat(signal, () => this.#compareMs / CHECKS_BETWEEN, this.#leaveSilent),
    ]);
  }

  async #repeat(
    signal: AbortSignal,
    waitMs: () => number,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    while (this.isComparing && !signal.aborted) {
      await work.call(this, signal).catch((err: unknown) => {
        this.#context.log.debug({ err }, "Comparing the nodes failed");
      });
      await sleep(waitMs(), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Leaves a node whose answers were awaited for too long, and from which nothing was written. */
  async #leaveSilent(): Promise<void> {
    const nodes = this.#nodes;
    const { connected } = nodes;
    if (!connected || nodes.isGood(connected)) return;
    const { waitedMs, from, verified } = this.#currentProbation();
    const waited = nodes.waitedMs - waitedMs;
    const more = (1_000 * Math.max(0, verified - from)) / VERIFIED_BLOCKS_PER_SECOND;
    if (waited <= this.#patienceMs + more) return;
    this.#leftInARow += 1;
    this.#progressed();
    await nodes.leave(connected, waited);
  }

  /** How long a node may send nothing of what it claims, in ms. */
  get #patienceMs(): number {
    const nodes = this.#nodes;
    const share = Math.max(MIN_PATIENCE_MS, this.#compareMs / nodes.count);
    return Math.min(share, this.#compareMs) * 2 ** Math.floor(this.#leftInARow / nodes.count);
  }

  #currentProbation(): Probation {
    const { connected: node, waitedMs } = this.#nodes;
    if (this.#probation && this.#probation.node === node) return this.#probation;
    this.#probation = { node, waitedMs, from: Number.POSITIVE_INFINITY, verified: 0, withheldSince: undefined };
    return this.#probation;
  }

  #progressed(): void {
    this.#probation = undefined;
  }

  /** Whether the followed node, from which nothing was written yet, is still to send what it claims. */
  get #isOnProbation(): boolean {
    const nodes = this.#nodes;
    return !nodes.isGood(nodes.connected) && (nodes.isWaiting || this.#currentProbation().withheldSince !== undefined);
  }

  /**
   * The score that another chain must exceed: that of the index, or of the branch that it is on its way to, whose first
   * blocks alone have a lower one.
   */
  #scoreToExceed(indexed: bigint): bigint {
    const proven = this.#proven;
    const isOnItsWay = proven && performance.now() - proven.at < COMPARISONS_WITHOUT_PROGRESS * this.#compareMs;
    return isOnItsWay && proven.score > indexed ? proven.score : indexed;
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const nodes = this.#nodes;
    const { db, log } = this.#context;
    const head = await readHead(db);
    if (!head || signal.aborted) return;
    const found = await Promise.all(
      nodes.others.map(async (node) => [node, await this.#readClaim(node, signal)] as const),
    );
    const claims = new Map(found.flatMap(([node, claim]) => (claim ? [[node, claim] as const] : [])));
    const [at, { height }, before] = [performance.now(), head, this.#before];
    this.#before = { at, height, claims };
    const score = this.#scoreToExceed(head.score);
    this.#isBehind = [...claims.values()].some((claim) => claim > score);
    const minBlocks = before && (MIN_BLOCKS_PER_SECOND * (at - before.at)) / 1_000;
    if (signal.aborted || minBlocks === undefined || height - before!.height >= minBlocks) return;
    const leading = [...claims].filter(([node, claim]) => claim > score && (before!.claims.get(node) ?? 0n) > score);
    const good = leading.find(([node]) => nodes.isGood(node));
    const [best] = good ? [good] : leading.toSorted(([, left], [, right]) => (left < right ? 1 : -1));
    if (!best) return;
    // A node that is on probation has its time; then the last good one is followed, and not the next that claims.
    if (!good && nodes.hasGood && this.#isOnProbation) return;
    const [node, claimed] = best;
    const followed = nodes.client.connectedNode?.node;
    log.warn(
      { node: endpointName(node), followed, claimedScore: String(claimed), score: String(score) },
      "Another node has a higher score; switching",
    );
    this.#before = undefined;
    await nodes.switchTo(node);
  }

  /** What a node claims; undefined if it belongs to another network, or does not respond in time. */
  async #readClaim(node: NodeEndpoint, signal: AbortSignal): Promise<bigint | undefined> {
    const { network, log } = this.#context;
    const client = this.#nodes.open(node, log.child({}, { level: "silent" }));
    const close = () => void client.close();
    const end = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
    end.addEventListener("abort", close);
    try {
      const [info, statistics] = await Promise.all([client.nodeInfo(), client.chainStatistics()]);
      return info.networkGenerationHashSeed.equals(network.generationHashSeed) ? joinScore(statistics) : undefined;
    } catch (error) {
      log.debug({ err: error, node: endpointName(node) }, "Comparing with a node failed");
      return undefined;
    } finally {
      end.removeEventListener("abort", close);
      await client.close();
    }
  }
}
