import { sql } from "kysely";
import { builder } from "../graph/builder.js";
import { heavy } from "../graph/cost.js";
import { answerInTime, type IndexStatus, readIndexStatus } from "../services/index-status.js";

type UpOrDown = "up" | "down";

interface Health {
  readonly apiNode: UpOrDown;
  readonly db: UpOrDown;
}

const UpOrDownType = builder.enumType("UpOrDown", {
  description: "Whether somebody answers.",
  values: {
    up: { value: "up", description: "In time." },
    down: { value: "down", description: "Not, or too late." },
  } as const,
});

const HealthType = builder.objectRef<Health>("Health").implement({
  description: "Who can be reached from the gateway.",
  fields: (t) => ({
    apiNode: t.expose("apiNode", { description: "Whether the node answers.", type: UpOrDownType }),
    db: t.expose("db", { description: "Whether the database answers.", type: UpOrDownType }),
  }),
});

const IndexStatusType = builder.objectRef<IndexStatus>("IndexStatus").implement({
  description: "How far the index is.",
  fields: (t) => ({
    height: t.expose("height", { type: "SafeInt", description: "0 while nothing is indexed." }),
    finalizedHeight: t.expose("finalizedHeight", { type: "SafeInt", description: "0 while nothing is finalized." }),
    stateHeight: t.expose("stateHeight", {
      type: "SafeInt",
      nullable: true,
      description: "The newest height at which all of the state was as the node had it; null before the first time.",
    }),
    missingIndexes: t.expose("missingIndexes", {
      type: "SafeInt",
      description: "Indexes of the database that a backfill still has to make; while there are any, answers are slow.",
    }),
    unknownEntities: t.expose("unknownEntities", {
      type: "SafeInt",
      description:
        "Blocks, transactions, receipts and state entries of types or versions that the indexer did not know: " +
        "what it knows of them is served, the rest as bytes. Other than 0 after a fork of the network: update the program.",
    }),
    stateSource: t.exposeString("stateSource", {
      nullable: true,
      description:
        "Where the state comes from: execute, computed from the blocks and verified; node, read from a node; " +
        "null before the first block.",
    }),
    failure: t.exposeString("failure", {
      nullable: true,
      description: "Why the indexer cannot continue: what it rejected, from all of its nodes; null while it continues.",
    }),
    nodeHeight: t.expose("nodeHeight", {
      type: "SafeInt",
      nullable: true,
      description: "Height of the node's chain; null when the node cannot be reached.",
    }),
    blocksBehind: t.expose("blocksBehind", {
      type: "SafeInt",
      nullable: true,
      description: "Blocks that the node has and the index has not; null when the node cannot be reached.",
    }),
    secondsBehind: t.expose("secondsBehind", {
      type: "SafeInt",
      nullable: true,
      description:
        "Age of the newest block, by the node's clock, while the index lacks blocks of the node, otherwise 0; " +
        "null when the node cannot be reached.",
    }),
    nodeIsOfOtherNetwork: t.exposeBoolean("nodeIsOfOtherNetwork", {
      description:
        "Whether the node belongs to another network than what is indexed: a setting of the gateway is wrong.",
    }),
    nodeHasOtherBlock: t.exposeBoolean("nodeHasOtherBlock", {
      description:
        "Whether the node has another block at the index's height: for a moment during a fork; for longer when the " +
        "indexer does not run or follows another node.",
    }),
  }),
});

builder.queryFields((t) => ({
  health: t.field({
    type: HealthType,
    extensions: heavy,
    description: "Whether the node and the database can be reached from the gateway.",
    resolve: async (_root, _args, { db, node }) => {
      const [apiNode, database] = await Promise.all([
        answerInTime(node.chainStatistics()),
        answerInTime(sql`select 1`.execute(db)),
      ]);
      return { apiNode: upOrDown(apiNode), db: upOrDown(database) };
    },
  }),
  indexStatus: t.field({
    type: IndexStatusType,
    extensions: heavy,
    description: "How far behind the node the index is.",
    resolve: (_root, _args, services) => readIndexStatus(services),
  }),
}));

function upOrDown(answer: unknown): UpOrDown {
  return answer === undefined ? "down" : "up";
}
