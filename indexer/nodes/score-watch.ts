import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { NodeCredentials } from "../../catapult/certificate/certificate.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import type { NodeEndpoint } from "../../catapult/wire/node-connector.js";
import { type ChainStatistics, scoreOf } from "../../catapult/wire/requests.js";
import type { Db } from "../../database/database.js";
import { findBlockHash } from "../../database/queries/blocks.js";
import { type Head, readHead } from "../../database/queries/head.js";
import type { FollowedNodes } from "./followed-nodes.js";
import { ClaimedScoreError, nodeFaultOf } from "./node-fault.js";

export interface ScoreWatchOptions {
  readonly nodes: FollowedNodes;
  readonly db: Db;
  readonly network: NetworkIdentity;
  readonly credentials: NodeCredentials;
  readonly log: Logger;
  readonly requestTimeoutMs?: number | undefined;
  /** Interval of comparing with the other nodes, in ms; default 10,000. */
  readonly compareMs?: number | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly clock?: () => number;
}

/** What another node claimed at a comparison. */
interface Lead {
  readonly score: bigint;
  /** Whether it has another block than the index at a height that both have. */
  readonly isOtherBranch: boolean;
}

/** A comparison of the index with the claims of the other nodes. */
interface Comparison {
  /** Of the clock. */
  readonly at: number;
  readonly score: bigint;
  readonly height: number;
  readonly waitedMs: number;
  readonly rounds: number;
  readonly leads: ReadonlyMap<NodeEndpoint, Lead>;
}

/** The followed node's claim to blocks that the index does not have yet. */
interface OpenClaim {
  readonly node: string | undefined;
  readonly score: bigint;
  /** How long the node had no block for us since, in ms. */
  withheldMs: number;
  /** Of the clock: the end of the last round. */
  at: number;
}

const DEFAULT_COMPARE_MS = 10_000;
/** How long another node has time to answer, in ms. */
const LOOK_MS = 10_000;
/** Fewer blocks per second from a node for which we wait most of the time are too few while another one leads. */
const FEWEST_BLOCKS_PER_SECOND = 4;
/** A branch is given up after this number of comparisons without a further block of it. */
const COMPARISONS_WITHOUT_PROGRESS = 6;

/**
 * Compares the score of the index, which is that of verified blocks, with what nodes claim. A claim decides only which
 * node is asked for its blocks:
 *
 * - The indexer switches to another node that led in two consecutive comparisons, on another branch or because the index
 *   has not come closer to it. A node that is briefly a block ahead is no reason.
 * - The followed node is dropped if it has no blocks for its claim, or sends them too slowly while another one leads.
 *
 * With a single node nothing is compared: there is nothing else to follow.
 */
export class ScoreWatch {
  readonly #options: ScoreWatchOptions;
  readonly #clock: () => number;
  #before: Comparison | undefined;
  #next: NodeEndpoint | undefined;
  #claim: OpenClaim | undefined;
  /** Rounds that have ended. */
  #rounds = 0;
  /** The verified score of a branch whose first blocks are written, and when the index last came closer to it. */
  #proven: { readonly score: bigint; at: number } | undefined;

  constructor(options: ScoreWatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** Whether there are several nodes: then blocks are rolled back for a higher verified score only. */
  get isComparing(): boolean {
    return this.#options.nodes.areSeveral;
  }

  /** Compares periodically until `signal` is aborted. Unreachable nodes are skipped. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, compareMs = DEFAULT_COMPARE_MS } = this.#options;
    while (this.isComparing && !signal.aborted) {
      await this.#compare(signal).catch((err: unknown) => log.debug({ err }, "Comparing the nodes failed"));
      await sleep(compareMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * The score that another chain must exceed: that of the index, or of the branch that it is on its way to, whose first
   * blocks alone have a lower one.
   */
  scoreToExceed(indexed: bigint): bigint {
    const { compareMs = DEFAULT_COMPARE_MS } = this.#options;
    const isOnItsWay = this.#proven && this.#clock() - this.#proven.at < COMPARISONS_WITHOUT_PROGRESS * compareMs;
    if (!this.#proven || !isOnItsWay || this.#proven.score <= indexed) return indexed;
    return this.#proven.score;
  }

  /** To be called before the first blocks of a branch are written that was verified up to this score. */
  proved(score: bigint): void {
    this.#proven = { score, at: this.#clock() };
  }

  /** To be called between two rounds: switches to another node if that was decided. */
  async beforeRound(): Promise<void> {
    const next = this.#next;
    this.#next = undefined;
    if (!next) return;
    await this.#options.nodes.switchTo(next);
  }

  /**
   * To be called after each round, with the score of the index before it.
   *
   * @throws ClaimedScoreError when the node claims a higher score for long, and serves nothing for it
   */
  afterRound(indexed: bigint, claimed: ChainStatistics, hasMoved: boolean): void {
    const { compareMs = DEFAULT_COMPARE_MS } = this.#options;
    const score = scoreOf(claimed);
    const now = this.#clock();
    const node = this.#options.nodes.client.connectedNode?.node;
    this.#rounds += 1;
    if (hasMoved && this.#proven) this.#proven.at = now;
    if (!this.#claim || this.#claim.node !== node || indexed >= this.#claim.score) {
      this.#claim = this.isComparing && score > indexed ? { node, score, withheldMs: 0, at: now } : undefined;
      return;
    }
    const claim = this.#claim;
    if (!hasMoved && score > indexed) claim.withheldMs += now - claim.at;
    claim.at = now;
    if (claim.withheldMs <= compareMs) return;
    this.#claim = undefined;
    throw ClaimedScoreError.withheld(score, indexed, claim.withheldMs);
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const { nodes, db } = this.#options;
    const head = await readHead(db);
    if (!head) return;
    const found = await Promise.all(
      nodes.others.map(async (node) => [node, await this.#leadOf(node, head, signal)] as const),
    );
    if (signal.aborted) return;
    const leads = new Map(found.flatMap(([node, lead]) => (lead ? [[node, lead] as const] : [])));
    const before = this.#before;
    const { height } = head;
    const score = this.scoreToExceed(head.score);
    const { waitedMs } = nodes;
    const comparison = { at: this.#clock(), score, height, waitedMs, rounds: this.#rounds, leads };
    this.#before = comparison;
    if (before) await this.#conclude(before, comparison);
  }

  async #conclude(before: Comparison, comparison: Comparison): Promise<void> {
    const { nodes, log } = this.#options;
    const { at, score, height, waitedMs, rounds, leads } = comparison;
    const leading = [...leads]
      .filter(([node, lead]) => {
        const earlier = before.leads.get(node);
        return earlier && (score < earlier.score || (earlier.isOtherBranch && lead.isOtherBranch));
      })
      .toSorted(([, left], [, right]) => (left.score < right.score ? 1 : -1));
    const [highest] = leading;
    if (!highest) return;
    const followed = nodes.client.connectedNode?.node;
    const isWaiting = waitedMs - before.waitedMs > (at - before.at) / 2;
    const isSlow = height - before.height < (FEWEST_BLOCKS_PER_SECOND * (at - before.at)) / 1_000;
    const isWithheld = this.#claim?.node === followed && (this.#claim?.withheldMs ?? 0) > (at - before.at) / 2;
    if (isWithheld || (isWaiting && isSlow && (this.#claim || rounds === before.rounds))) {
      const fault = nodeFaultOf(ClaimedScoreError.withheld(highest[1].score, score, at - before.at), followed);
      this.#before = undefined;
      if (fault && followed) await nodes.drop(fault);
      return;
    }
    // Nothing shows progress before the first block is written.
    if (this.#next || (height === 0 && !isWaiting)) return;
    const best = leading.find(([node, lead]) => {
      const earlier = before.leads.get(node)!;
      const isCloser = lead.score - score < earlier.score - before.score;
      return (earlier.isOtherBranch && lead.isOtherBranch) || !isCloser;
    });
    if (!best) return;
    const [node, lead] = best;
    log.warn(
      { node: nameOf(node), followed, claimedScore: String(lead.score), score: String(score) },
      "Another node has a higher score; switching",
    );
    this.#before = undefined;
    this.#next = node;
  }

  /**
   * What a node claims above the head; undefined if it claims nothing, belongs to another network, or does not respond
   * in time.
   */
  async #leadOf(node: NodeEndpoint, head: Head, signal: AbortSignal): Promise<Lead | undefined> {
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
      const score = scoreOf(statistics);
      if (score <= this.scoreToExceed(head.score)) return undefined;
      const height = Math.min(head.height, statistics.height);
      const [theirs] = height > 0 ? await client.blockHashes(height, 1) : [];
      const indexed = await findBlockHash(db, height);
      return { score, isOtherBranch: theirs !== undefined && indexed !== undefined && !theirs.equals(indexed) };
    } catch (error) {
      log.debug({ err: error, node: nameOf(node) }, "Comparing with a node failed");
      return undefined;
    } finally {
      end.removeEventListener("abort", close);
      await client.close();
    }
  }
}

function nameOf({ host, port }: NodeEndpoint): string {
  return `${host}:${port}`;
}
