import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { NodeCredentials } from "../../catapult/certificate/certificate.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import type { NodeEndpoint } from "../../catapult/wire/node-connector.js";
import type { ChainStatistics } from "../../catapult/wire/requests.js";
import type { Db } from "../../database/database.js";
import { findBlockHash } from "../../database/queries/blocks.js";
import { readHead } from "../../database/queries/head.js";
import type { FollowedNodes } from "./followed-nodes.js";
import { WithheldBlocksError } from "./node-fault.js";

export interface ScoreWatchOptions {
  readonly nodes: FollowedNodes;
  readonly db: Db;
  readonly network: NetworkIdentity;
  readonly credentials: NodeCredentials;
  readonly log: Logger;
  readonly requestTimeoutMs?: number | undefined;
  /** Interval of comparing with the other nodes, in ms; default 60,000. */
  readonly compareMs?: number | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly clock?: () => number;
}

/** The state of another node at a comparison. */
interface Lead {
  readonly score: bigint;
  /** Whether it has another block than the index at a height that both have. */
  readonly isOtherBranch: boolean;
}

const DEFAULT_COMPARE_MS = 60_000;

/**
 * Compares the score of the followed chain with those of the other nodes, one short connection at a time, and makes
 * the indexer switch to a node that led in two consecutive comparisons: on another branch, or because the followed
 * node has not reached since what the other had before. A node that is briefly a block ahead is no reason.
 */
export class ScoreWatch {
  readonly #options: ScoreWatchOptions;
  readonly #clock: () => number;
  #leads = new Map<NodeEndpoint, Lead>();
  #next: NodeEndpoint | undefined;
  #withheldSince: number | undefined;

  constructor(options: ScoreWatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** Compares periodically until `signal` is aborted. Unreachable nodes are skipped. */
  async run(signal: AbortSignal): Promise<void> {
    const { nodes, log, compareMs = DEFAULT_COMPARE_MS } = this.#options;
    while (nodes.areSeveral && !signal.aborted) {
      await sleep(compareMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#compare(signal).catch((err: unknown) => log.debug({ err }, "Comparing the nodes failed"));
    }
  }

  /**
   * Whether blocks may be rolled back for the chain of the followed node: with several nodes only for a higher score.
   */
  mayReplace(indexed: bigint, claimed: ChainStatistics): boolean {
    return !this.#options.nodes.areSeveral || scoreOf(claimed) > indexed;
  }

  /** To be called between two rounds: switches to another node if that was decided. */
  async beforeRound(): Promise<void> {
    const next = this.#next;
    this.#next = undefined;
    if (!next) return;
    await this.#options.nodes.switchTo(next);
  }

  /**
   * To be called after each round.
   *
   * @throws WithheldBlocksError when the node claims a higher score for long, and serves nothing for it
   */
  afterRound(indexed: bigint, claimed: ChainStatistics, hasMoved: boolean): void {
    const { nodes, compareMs = DEFAULT_COMPARE_MS } = this.#options;
    if (hasMoved || scoreOf(claimed) <= indexed || !nodes.areSeveral) {
      this.#withheldSince = undefined;
      return;
    }
    this.#withheldSince ??= this.#clock();
    const withheldMs = this.#clock() - this.#withheldSince;
    if (withheldMs <= compareMs) return;
    this.#withheldSince = undefined;
    throw new WithheldBlocksError(scoreOf(claimed), indexed, withheldMs);
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const { nodes, db, log } = this.#options;
    const followed = scoreOf(await nodes.client.chainStatistics());
    const head = await readHead(db);
    if (!head || head.height === 0) return;
    let ours = head.score;
    if (followed > ours) ours = followed;
    const leads = new Map<NodeEndpoint, Lead>();
    for (const node of nodes.others) {
      if (signal.aborted) return;
      const lead = await this.#leadOf(node, ours);
      if (lead) leads.set(node, lead);
    }
    const before = this.#leads;
    this.#leads = leads;
    const [best] = [...leads]
      .filter(([node, lead]) => {
        const earlier = before.get(node);
        return earlier && (ours < earlier.score || (earlier.isOtherBranch && lead.isOtherBranch));
      })
      .toSorted(([, left], [, right]) => (left.score < right.score ? 1 : -1));
    if (!best) return;
    const [node, { score }] = best;
    const names = { node: `${node.host}:${node.port}`, followed: nodes.client.connectedNode?.node };
    log.warn(
      { ...names, score: String(score), followedScore: String(ours) },
      "Another node has a higher score; switching",
    );
    this.#leads = new Map();
    this.#next = node;
  }

  /** What a node has above `ours`; undefined if it has nothing, belongs to another network, or does not respond. */
  async #leadOf(node: NodeEndpoint, ours: bigint): Promise<Lead | undefined> {
    const { db, network, credentials, log, requestTimeoutMs } = this.#options;
    const quiet = log.child({}, { level: "silent" });
    const limits = { ...(requestTimeoutMs !== undefined && { requestTimeoutMs }) };
    const client = new NodeClient({ nodes: [node], credentials, log: quiet, ...limits });
    try {
      const [info, statistics] = await Promise.all([client.nodeInfo(), client.chainStatistics()]);
      if (!info.networkGenerationHashSeed.equals(network.generationHashSeed)) return undefined;
      const score = scoreOf(statistics);
      if (score <= ours) return undefined;
      const head = await readHead(db);
      const height = Math.min(head?.height ?? 0, statistics.height);
      const [theirs] = height > 0 ? await client.blockHashes(height, 1) : [];
      const indexed = await findBlockHash(db, height);
      return { score, isOtherBranch: theirs !== undefined && indexed !== undefined && !theirs.equals(indexed) };
    } catch (error) {
      log.debug({ err: error, node: `${node.host}:${node.port}` }, "Comparing with a node failed");
      return undefined;
    } finally {
      await client.close();
    }
  }
}

function scoreOf({ scoreHigh, scoreLow }: ChainStatistics): bigint {
  return (scoreHigh << 64n) | scoreLow;
}
