import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { NodeCredentials } from "../../../catapult/certificate/certificate.js";
import { blockScore } from "../../../catapult/entity/block.js";
import type { NetworkIdentity, VerifiedBlock } from "../../../catapult/entity/model.js";
import { endpointName } from "../../../catapult/wire/connection.js";
import { NodeClient } from "../../../catapult/wire/node-client.js";
import type { NodeEndpoint } from "../../../catapult/wire/node-connector.js";
import { type ChainStatistics, scoreOf } from "../../../catapult/wire/requests.js";
import type { Db } from "../../../database/database.js";
import { findBlockHash } from "../../../database/queries/blocks.js";
import { type Head, readHead } from "../../../database/queries/head.js";
import { failureOf } from "../../nodes/failures.js";
import type { FollowedNodes } from "../../nodes/followed-nodes.js";
import type { Executor } from "../execution/executor.js";
import type { ChainPosition } from "../step/chain-position.js";
import { ClaimedScoreError } from "../step/errors.js";
import { readPosition } from "../write/head-row.js";
import { type FetchOptions, fetchBlocks, type Parent } from "./fetch.js";

export interface ScoreWatchOptions {
  readonly nodes: FollowedNodes;
  readonly db: Db;
  readonly network: NetworkIdentity;
  readonly credentials: NodeCredentials;
  readonly log: Logger;
  readonly requestTimeoutMs?: number | undefined;
  /** Interval of comparing with the other nodes, in ms; default 10,000. */
  readonly compareMs?: number | undefined;
}

/** What another node claimed at a comparison. */
interface Claim {
  readonly score: bigint;
  /** Whether it has another block than the index at a height that both have. */
  readonly isOtherBranch: boolean;
}

/** A comparison of the index with the other nodes. */
interface Comparison {
  /** ms of this process. */
  readonly at: number;
  readonly height: number;
  readonly claims: ReadonlyMap<NodeEndpoint, Claim>;
  /** Whether the followed node left a request unanswered for the interval. */
  readonly isSilent: boolean;
}

const DEFAULT_COMPARE_MS = 10_000;
/** How long another node has time to answer, in ms. */
const LOOK_MS = 10_000;
/** An index that writes fewer blocks per second does not catch up. */
const FEWEST_BLOCKS_PER_SECOND = 1;
/** A branch is given up after this number of comparisons without a further block of it. */
const COMPARISONS_WITHOUT_PROGRESS = 6;

/**
 * Which of several nodes is followed. A score counts if it was computed here, from verified blocks; what a node claims
 * decides only which node is asked:
 *
 * | case | consequence |
 * |---|---|
 * | the followed node is on another branch | blocks are dropped only when its blocks, verified, have a higher score: until then they are executed and forgotten |
 * | it claims more than the index has, and nothing could be written for the time between two comparisons | it is dropped, as for other invalid data |
 * | the index has not reached what another node claimed at the comparison before, and does not catch up, or is on another branch | that node is followed. If the followed one was silent at both comparisons, it is dropped |
 *
 * So no node can pull the index to a lower score, nor keep it from a higher one. With a single node nothing is compared:
 * there is nothing else to follow.
 */
export class ScoreWatch {
  readonly #options: ScoreWatchOptions;
  readonly #compareMs: number;
  #before: Comparison | undefined;
  /** Since when the followed node claims more than the index has, and nothing was written. */
  #withheld: { readonly node: string | undefined; readonly since: number } | undefined;
  /** The verified score of a branch whose first blocks are written, and when the index last came closer to it. */
  #proven: { readonly score: bigint; at: number } | undefined;
  #hasSwitched = false;

  constructor(options: ScoreWatchOptions) {
    this.#options = options;
    this.#compareMs = options.compareMs ?? DEFAULT_COMPARE_MS;
  }

  /** Whether there are several nodes: then blocks are dropped for a higher verified score only. */
  get isComparing(): boolean {
    return this.#options.nodes.areSeveral;
  }

  /** Whether the connection was closed since this was last called, because another node is followed. */
  takeSwitched(): boolean {
    const hasSwitched = this.#hasSwitched;
    this.#hasSwitched = false;
    return hasSwitched;
  }

  /** Compares periodically until `signal` is aborted. Unreachable nodes are skipped. */
  async run(signal: AbortSignal): Promise<void> {
    while (this.isComparing && !signal.aborted) {
      await this.#compare(signal).catch((err: unknown) =>
        this.#options.log.debug({ err }, "Comparing the nodes failed"),
      );
      await sleep(this.#compareMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * The score that another chain must exceed: that of the index, or of the branch that it is on its way to, whose first
   * blocks alone have a lower one.
   */
  scoreToExceed(indexed: bigint): bigint {
    const proven = this.#proven;
    const isOnItsWay = proven && performance.now() - proven.at < COMPARISONS_WITHOUT_PROGRESS * this.#compareMs;
    return isOnItsWay && proven.score > indexed ? proven.score : indexed;
  }

  /** Whether a chain could have a higher score than the index, by what the node claims. */
  mayBeHigher(claimed: ChainStatistics, head: Head): boolean {
    return scoreOf(claimed) > this.scoreToExceed(head.score);
  }

  /**
   * Whether a branch of the followed node has a higher score. Where its first blocks do not show it, more are fetched,
   * verified like all others, and forgotten, until the score is higher; afterwards the ledger is where it was. So memory
   * does not grow with their bytes, and no block is dropped before all this is verified.
   *
   * @param branch the last common block, and the verified blocks after it, up to where the ledger is
   */
  async isHigher(
    options: FetchOptions & { readonly db: Db; readonly ledger: Pick<Executor, "rehearse"> },
    head: Head,
    branch: { readonly base: ChainPosition; readonly blocks: readonly VerifiedBlock[] },
  ): Promise<boolean> {
    const toExceed = this.scoreToExceed(head.score);
    const first = scoreAfter(await readPosition(options.db, branch.base), branch.blocks);
    const climb = async () => {
      let last = first;
      while (last.score <= toExceed) {
        const next = await fetchBlocks(last, options);
        if (next.length === 0) break;
        last = scoreAfter(last, next);
      }
      return last;
    };
    const { score } = first.score > toExceed ? first : await options.ledger.rehearse(climb);
    if (score > toExceed) this.#proven = { score, at: performance.now() };
    return score > toExceed;
  }

  /**
   * To be called after each round, with the score of the index before it.
   *
   * @throws ClaimedScoreError when the node claims a higher score for long, and nothing of it could be written
   */
  afterRound(indexed: bigint, claimed: ChainStatistics, hasMoved: boolean): void {
    const now = performance.now();
    this.#hasSwitched = false;
    if (hasMoved && this.#proven) this.#proven.at = now;
    const node = this.#options.nodes.client.connectedNode?.node;
    const isWithheld = this.isComparing && !hasMoved && scoreOf(claimed) > indexed;
    const known = this.#withheld;
    const withheld = known && known.node === node ? known : { node, since: now };
    this.#withheld = isWithheld ? withheld : undefined;
    const ms = now - withheld.since;
    if (!isWithheld || ms <= this.#compareMs) return;
    this.#withheld = undefined;
    throw new ClaimedScoreError(scoreOf(claimed), indexed, ms);
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const { nodes, db } = this.#options;
    const head = await readHead(db);
    if (!head) return;
    const [isSilent, ...found] = await Promise.all([
      this.#isSilent(),
      ...nodes.others.map(async (node) => [node, await this.#claimOf(node, head, signal)] as const),
    ]);
    if (signal.aborted) return;
    const claims = new Map(found.flatMap(([node, claim]) => (claim ? [[node, claim] as const] : [])));
    const comparison = { at: performance.now(), height: head.height, claims, isSilent };
    const before = this.#before;
    this.#before = comparison;
    if (before) await this.#conclude(before, comparison, this.scoreToExceed(head.score));
  }

  async #conclude(before: Comparison, { at, height, claims, isSilent }: Comparison, score: bigint): Promise<void> {
    const { nodes, log } = this.#options;
    const isCatchingUp = height - before.height >= (FEWEST_BLOCKS_PER_SECOND * (at - before.at)) / 1_000;
    const leading = [...claims].filter(([node, claim]) => {
      const earlier = before.claims.get(node);
      if (!earlier || claim.score <= score) return false;
      return (earlier.isOtherBranch && claim.isOtherBranch) || (earlier.score > score && !isCatchingUp);
    });
    const [best] = leading.toSorted(([, left], [, right]) => (left.score < right.score ? 1 : -1));
    if (!best) return;
    const [node, claim] = best;
    const followed = nodes.client.connectedNode?.node;
    this.#before = undefined;
    this.#hasSwitched = true;
    if (isSilent && before.isSilent) {
      const { fault } = failureOf(new ClaimedScoreError(claim.score, score, at - before.at), followed);
      if (fault) await nodes.drop(fault);
      return;
    }
    log.warn(
      { node: endpointName(node), followed, claimedScore: String(claim.score), score: String(score) },
      "Another node has a higher score; switching",
    );
    await nodes.switchTo(node);
  }

  /** Whether the followed node does not answer: it answers in order, so one that sends something else slowly does not. */
  async #isSilent(): Promise<boolean> {
    const { client } = this.#options.nodes;
    if (!client.connectedNode) return false;
    const answered = client.chainStatistics().then(
      () => false,
      () => false,
    );
    return Promise.race([answered, sleep(this.#compareMs, true)]);
  }

  /** What a node claims; undefined if it belongs to another network, or does not respond in time. */
  async #claimOf(node: NodeEndpoint, head: Head, signal: AbortSignal): Promise<Claim | undefined> {
    const { db, network, credentials, log, requestTimeoutMs } = this.#options;
    const quiet = log.child({}, { level: "silent" });
    const limits = { ...(requestTimeoutMs !== undefined && { requestTimeoutMs }) };
    const client = new NodeClient({ nodes: [node], credentials, log: quiet, ...limits });
    const end = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
    const close = () => void client.close();
    end.addEventListener("abort", close);
    try {
      const [info, statistics] = await Promise.all([client.nodeInfo(), client.chainStatistics()]);
      if (!info.networkGenerationHashSeed.equals(network.generationHashSeed)) return undefined;
      const height = Math.min(head.height, statistics.height);
      const [theirs] = height > 0 ? await client.blockHashes(height, 1) : [];
      const indexed = await findBlockHash(db, height);
      const isOtherBranch = theirs !== undefined && indexed !== undefined && !theirs.equals(indexed);
      return { score: scoreOf(statistics), isOtherBranch };
    } catch (error) {
      log.debug({ err: error, node: endpointName(node) }, "Comparing with a node failed");
      return undefined;
    } finally {
      end.removeEventListener("abort", close);
      await client.close();
    }
  }
}

/** A verified block of a chain, with the score of the chain up to it. */
interface ScoredPosition extends Parent {
  readonly score: bigint;
}

function scoreAfter(parent: ScoredPosition, blocks: readonly VerifiedBlock[]): ScoredPosition {
  return blocks.reduce<ScoredPosition>(
    (last, block) => ({
      height: block.height,
      hash: block.hash,
      timestamp: block.timestamp,
      score: last.score + blockScore(last, block),
    }),
    parent,
  );
}
