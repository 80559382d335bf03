import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { type IndexPoint, readHead, readIndexPoint } from "../../database/queries/head.js";
import { readNetworkIdentity } from "../../database/queries/network.js";

/** How far the index is, and the node. */
export interface IndexStatus extends IndexPoint {
  /** Height of the node's chain; undefined when the node cannot be reached. */
  readonly nodeHeight: number | undefined;
  /** Blocks that the node has and the index has not; undefined when the node cannot be reached. */
  readonly blocksBehind: number | undefined;
  /**
   * How old the newest block is, by the network's clock, of an index that lacks blocks of the node: 0 where it lacks none;
   * undefined when the node cannot be reached.
   */
  readonly secondsBehind: number | undefined;
  /** Whether the node that answered belongs to another network than what is indexed: a setting is wrong. */
  readonly nodeIsOfOtherNetwork: boolean;
  /** Whether the node has another block at the index's height: one of the two is on a branch that the other left. */
  readonly nodeHasOtherBlock: boolean;
}

/** Who does not answer in this time counts as down, in ms. */
export const ANSWER_TIMEOUT_MS = 3_000;

/** Compares the index with the node, which may be down; database errors as they come. */
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

/** Compares the index's newest block with the node's of the same height; a node that has none of it is only behind. */
async function hasOtherBlock({ db, node }: { db: Db; node: NodeClient }, nodeHeight: number): Promise<boolean> {
  const head = await readHead(db);
  if (!head || head.height === 0 || head.height > nodeHeight) return false;
  const [hash] = (await answerInTime(node.blockHashes(head.height, 1))) ?? [];
  if (!hash || hash.equals(head.hash)) return false;
  // The index may have followed the node while it was asked.
  const { height, hash: now } = (await readHead(db)) ?? head;
  return height === head.height && !hash.equals(now);
}

/** The answer, or undefined when it fails or takes too long. */
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
