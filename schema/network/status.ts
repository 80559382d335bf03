import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { type IndexPoint, readHead, readIndexPoint } from "../../database/queries/head.js";
import { readNetworkIdentity } from "../../database/queries/network.js";
import { builder } from "../graph/builder.js";
import { members } from "../graph/members.js";

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

/** A member of {@link IndexStatus}, and where it is shown besides GraphQL. */
export interface StatusMember {
  readonly name: keyof IndexStatus;
  readonly type: "SafeInt" | "SafeInt?" | "String?" | "Boolean";
  readonly description: string;
  /** In `/ready`: a height as text, as everywhere in REST, or as it is. */
  readonly ready?: "height" | "value";
  /** As a gauge: its name after `symbol_gateway_` and its help. */
  readonly metric?: readonly [name: string, help: string];
  /** Whether the gauge is 1 while there is a value, otherwise 0. */
  readonly isFlag?: boolean;
}

/** Everything that `indexStatus`, `/ready` and the metrics say of the index. */
export const statusMembers: readonly StatusMember[] = [
  {
    ...{ name: "height", type: "SafeInt", ready: "height", metric: ["index_height", "Height of the index"] },
    description: "Height of the index; 0 while nothing is indexed.",
  },
  {
    ...{ name: "finalizedHeight", type: "SafeInt", ready: "height" },
    metric: ["index_finalized_height", "Height of the last finalized block in the index"],
    description: "Height of the last finalized block; 0 while nothing is finalized.",
  },
  {
    ...{ name: "nodeHeight", type: "SafeInt?", ready: "height", metric: ["node_height", "Height of the node's chain"] },
    description: "Height of the node's chain; null if the node is unreachable.",
  },
  {
    ...{ name: "blocksBehind", type: "SafeInt?", ready: "value" },
    metric: ["index_blocks_behind", "Blocks that the index lacks"],
    description: "Number of blocks that the index lacks; null if the node is unreachable.",
  },
  {
    ...{ name: "secondsBehind", type: "SafeInt?", ready: "value" },
    metric: ["index_seconds_behind", "Age of the newest indexed block while the index lacks blocks, otherwise 0"],
    description:
      "Age of the newest indexed block, by the node's clock, while the index lacks blocks, otherwise 0; " +
      "null if the node is unreachable.",
  },
  {
    ...{ name: "unknownEntities", type: "SafeInt", ready: "value" },
    metric: ["index_unknown_entities", "Entities of types or versions unknown to the indexer"],
    description:
      "Number of blocks, transactions and receipts of types or versions unknown to the indexer: " +
      "their known fields are served, the rest as bytes. Above 0 after a fork of the network: update the program.",
  },
  {
    ...{ name: "missingRule", type: "String?", ready: "value", isFlag: true },
    metric: ["index_rule_missing", "1 if the indexer rejected a block that votes prove"],
    description:
      "Why the indexer rejected the first block that the votes of the network prove nevertheless: it is served, and the " +
      "program should be updated; null if there is none.",
  },
  {
    ...{ name: "stateDiffersSince", type: "SafeInt?", ready: "value", isFlag: true },
    metric: ["index_state_differs", "1 while the computed state differs from that of the network"],
    description:
      "Height since which the computed state differs from that of the network, although votes prove the blocks: " +
      "the program lacks a rule, so update it; null while it does not differ.",
  },
  {
    ...{ name: "unprovenFinalization", type: "String?", ready: "value", isFlag: true },
    metric: [
      "index_finalization_unproven",
      "1 while the nodes' finalization proofs are invalid by the voters that the indexer computes",
    ],
    description:
      "Why no further block becomes final: the finalization proofs of all nodes are invalid by the voters that the " +
      "indexer computes, so the program should be updated; null while they are valid.",
  },
  {
    ...{ name: "missingIndexes", type: "SafeInt" },
    description: "Database indexes that a backfill still has to create; meanwhile responses are slow.",
  },
  {
    ...{ name: "failure", type: "String?" },
    description:
      "Why the indexer cannot continue: the data that it rejected, from all of its nodes; null while it continues.",
  },
  {
    ...{ name: "nodeIsOfOtherNetwork", type: "Boolean" },
    description: "Whether the node belongs to another network than the index: a setting of the gateway is wrong.",
  },
  {
    ...{ name: "nodeHasOtherBlock", type: "Boolean" },
    description:
      "Whether the node has another block at the index's height: briefly during a fork; longer if the " +
      "indexer is down or follows another node.",
  },
];

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

type UpOrDown = "up" | "down";

type IndexCondition = "empty" | "filling";

interface Health {
  readonly apiNode: UpOrDown;
  readonly db: UpOrDown;
  /** Undefined if the index follows the node, and while the database is down. */
  readonly index: IndexCondition | undefined;
}

/** An indexer that is further behind does not follow, but fills. */
const FILLING_FROM = 10_000;

function findIndexCondition(
  { height, missingIndexes }: IndexPoint,
  nodeHeight: number | undefined,
): IndexCondition | undefined {
  if (height === 0) return "empty";
  const isFar = nodeHeight !== undefined && nodeHeight - height > FILLING_FROM;
  return isFar || missingIndexes > 0 ? "filling" : undefined;
}

const UpOrDownType = builder.enumType("UpOrDown", {
  description: "Availability of a service.",
  values: {
    up: { value: "up", description: "It responds in time." },
    down: { value: "down", description: "It does not respond in time." },
  } as const,
});

const IndexConditionType = builder.enumType("IndexCondition", {
  description: "Why an index does not serve the whole chain yet.",
  values: {
    empty: { value: "empty", description: "Nothing is indexed yet." },
    filling: { value: "filling", description: "It is far behind the node: what is served is that of its height." },
  } as const,
});

const HealthType = builder.objectRef<Health>("Health").implement({
  description: "Availability of the services of the gateway.",
  fields: (t) => ({
    apiNode: t.expose("apiNode", { description: "Availability of the node.", type: UpOrDownType }),
    db: t.expose("db", { description: "Availability of the database.", type: UpOrDownType }),
    index: t.expose("index", {
      description: "Why the index does not serve the whole chain yet; null if it does, and while the database is down.",
      type: IndexConditionType,
      nullable: true,
    }),
  }),
});

const IndexStatusType = builder.objectRef<IndexStatus>("IndexStatus").implement({
  description: "Status of the index.",
  // Each name is a member of the status, and the tests read each of them.
  fields: (t) =>
    members(
      t,
      Object.fromEntries(statusMembers.map(({ name, type, description }) => [name, [type, description]])) as never,
    ),
});

builder.queryFields((t) => ({
  health: t.field({
    type: HealthType,
    description: "Whether the node and the database are reachable from the gateway.",
    resolve: async (_root, _args, { db, node }) => {
      const [apiNode, point] = await Promise.all([
        answerInTime(node.chainStatistics()),
        answerInTime(readIndexPoint(db)),
      ]);
      const index = point && findIndexCondition(point, apiNode?.height);
      return { apiNode: upOrDown(apiNode), db: upOrDown(point), index };
    },
  }),
  indexStatus: t.field({
    type: IndexStatusType,
    description: "Lag of the index behind the node.",
    resolve: (_root, _args, services) => readIndexStatus(services),
  }),
}));

function upOrDown(answer: unknown): UpOrDown {
  return answer === undefined ? "down" : "up";
}
