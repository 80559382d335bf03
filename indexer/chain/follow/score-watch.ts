import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import { endpointName } from "../../../catapult/wire/connection.js";
import type { NodeEndpoint } from "../../../catapult/wire/node-connector.js";
import { scoreOf } from "../../../catapult/wire/requests.js";
import type { Db } from "../../../database/database.js";
import { type Head, readHead } from "../../../database/queries/head.js";
import type { FollowedNodes } from "../../nodes/followed-nodes.js";
import type { ChainEnd } from "../step/chain-position.js";
import { ClaimedScoreError } from "../step/errors.js";

export interface ScoreWatchOptions {
  readonly nodes: FollowedNodes;
  readonly db: Db;
  readonly network: NetworkIdentity;
  readonly log: Logger;
  /** Interval of comparing with the other nodes, in ms; default 10,000. */
  readonly compareMs?: number | undefined;
}

/** What the other nodes claimed at a comparison, and how high the index was. */
interface Comparison {
  /** ms of this process. */
  readonly at: number;
  readonly height: number;
  readonly claims: ReadonlyMap<NodeEndpoint, bigint>;
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
 * | the index has not reached what another node claimed at the comparison before, and does not catch up | that node is followed |
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

  constructor(options: ScoreWatchOptions) {
    this.#options = options;
    this.#compareMs = options.compareMs ?? DEFAULT_COMPARE_MS;
  }

  /** Whether there are several nodes: then blocks are dropped for a higher verified score only. */
  get isComparing(): boolean {
    return this.#options.nodes.areSeveral;
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
      return true;
    }
    return false;
  }

  /**
   * To be called after each round, with the score of the index before it.
   *
   * @throws ClaimedScoreError when the node claims a higher score for long, and nothing of it could be written
   */
  afterRound(indexed: bigint, claimed: bigint, hasMoved: boolean): void {
    const now = performance.now();
    if (hasMoved && this.#proven) this.#proven.at = now;
    const isWithheld = this.isComparing && !hasMoved && claimed > indexed;
    const node = this.#options.nodes.client.connectedNode?.node;
    const { since } = this.#withheld?.node === node && this.#withheld ? this.#withheld : { since: now };
    const isLong = now - since > this.#compareMs;
    this.#withheld = isWithheld && !isLong ? { node, since } : undefined;
    if (isWithheld && isLong) throw new ClaimedScoreError(claimed, indexed, now - since);
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
  #scoreToExceed(indexed: bigint): bigint {
    const proven = this.#proven;
    const isOnItsWay = proven && performance.now() - proven.at < COMPARISONS_WITHOUT_PROGRESS * this.#compareMs;
    return isOnItsWay && proven.score > indexed ? proven.score : indexed;
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const { nodes, db, log } = this.#options;
    const head = await readHead(db);
    if (!head) return;
    const found = await Promise.all(
      nodes.others.map(async (node) => [node, await this.#claimOf(node, signal)] as const),
    );
    const claims = new Map(found.flatMap(([node, claim]) => (claim ? [[node, claim] as const] : [])));
    const [at, { height }, before] = [performance.now(), head, this.#before];
    this.#before = { at, height, claims };
    const fewest = before && (FEWEST_BLOCKS_PER_SECOND * (at - before.at)) / 1_000;
    if (signal.aborted || fewest === undefined || height - before!.height >= fewest) return;
    const score = this.#scoreToExceed(head.score);
    const leading = [...claims].filter(([node, claim]) => claim > score && (before!.claims.get(node) ?? 0n) > score);
    const [best] = leading.toSorted(([, left], [, right]) => (left < right ? 1 : -1));
    if (!best) return;
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
  async #claimOf(node: NodeEndpoint, signal: AbortSignal): Promise<bigint | undefined> {
    const { nodes, network, log } = this.#options;
    const client = nodes.open(node, log.child({}, { level: "silent" }));
    const close = () => void client.close();
    const end = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
    end.addEventListener("abort", close);
    try {
      const [info, statistics] = await Promise.all([client.nodeInfo(), client.chainStatistics()]);
      return info.networkGenerationHashSeed.equals(network.generationHashSeed) ? scoreOf(statistics) : undefined;
    } catch (error) {
      log.debug({ err: error, node: endpointName(node) }, "Comparing with a node failed");
      return undefined;
    } finally {
      end.removeEventListener("abort", close);
      await client.close();
    }
  }
}
