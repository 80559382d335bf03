import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { type IndexPoint, readHead, readIndexPoint } from "../../database/queries/head.js";
import { readNetworkIdentity } from "../../database/queries/network.js";

/** Status of the index and the node. */
export interface IndexStatus extends IndexPoint {
  /** Height of the node's chain; undefined if the node is unreachable. */
  readonly nodeHeight: number | undefined;
  /** Number of blocks that the index lacks; undefined if the node is unreachable. */
  readonly blocksBehind: number | undefined;
  /**
   * Age of the newest block, by the network's clock, while the index lacks blocks: 0 if it lacks none; undefined if
   * the node is unreachable.
   */
  readonly secondsBehind: number | undefined;
  /** Whether the responding node belongs to another network than the index: a setting is wrong. */
  readonly nodeIsOfOtherNetwork: boolean;
  /**
   * Whether the node has another block at the index's height: one of the two is on a branch that the other has left.
   */
  readonly nodeHasOtherBlock: boolean;
}

/** Timeout after which a service counts as down, in ms. */
export const ANSWER_TIMEOUT_MS = 3_000;

/** Compares the index with the node, which may be down; database errors are thrown. */
export async function readIndexStatus({ db, node }: { db: Db; node: NodeClient }): Promise<IndexStatus> {
  const [point, network, statistics, time, info] = await Promise.all([
    readIndexPoint(db),
    readNetworkIdentity(db),
    answerInTime(node.chainStatistics()),
    answerInTime(node.time()),
    answerInTime(node.nodeInfo()),
  ]);
  const served = info?.networkGenerationHashSeed;
  const nodeIsOfOtherNetwork = network && served ? !served.equals(network.generationHashSeed) : false;
  const blocksBehind = statistics && Math.max(0, statistics.height - point.height);
  const nodeHasOtherBlock = statistics !== undefined && (await hasOtherBlock({ db, node }, statistics.height));
  const ageMs = time && Math.max(0, time.sendTimestamp - point.timestamp);
  const secondsBehind = blocksBehind === 0 ? 0 : ageMs && Math.round(ageMs / 1_000);
  return {
    ...point,
    nodeHeight: statistics?.height,
    blocksBehind,
    secondsBehind: statistics && secondsBehind,
    nodeIsOfOtherNetwork,
    nodeHasOtherBlock,
  };
}

/** Compares the index's newest block with the node's at the same height; a node that has none is only behind. */
async function hasOtherBlock({ db, node }: { db: Db; node: NodeClient }, nodeHeight: number): Promise<boolean> {
  const head = await readHead(db);
  if (!head || head.height === 0 || head.height > nodeHeight) return false;
  const [hash] = (await answerInTime(node.blockHashes(head.height, 1))) ?? [];
  if (!hash || hash.equals(head.hash)) return false;
  // The index may have advanced while the node was queried.
  const { height, hash: now } = (await readHead(db)) ?? head;
  return height === head.height && !hash.equals(now);
}

/** The result, or undefined if it fails or times out. */
export async function answerInTime<T>(question: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ANSWER_TIMEOUT_MS, undefined);
  });
  try {
    return await Promise.race([question.catch(() => undefined), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
