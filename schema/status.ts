import { sql } from "kysely";
import { builder } from "./builder.js";
import { readHead } from "./db/head.js";

/** Who does not answer in this time counts as down, in ms. */
const HEALTH_TIMEOUT_MS = 3000;

type UpOrDown = "up" | "down";

interface Health {
  readonly apiNode: UpOrDown;
  readonly db: UpOrDown;
}

interface IndexStatus {
  readonly height: number;
  readonly nodeHeight: number | undefined;
}

const UpOrDownType = builder.enumType("UpOrDown", { values: ["up", "down"] as const });

const HealthType = builder.objectRef<Health>("Health").implement({
  description: "Who can be reached from the gateway.",
  fields: (t) => ({
    apiNode: t.expose("apiNode", { type: UpOrDownType }),
    db: t.expose("db", { type: UpOrDownType }),
  }),
});

const IndexStatusType = builder.objectRef<IndexStatus>("IndexStatus").implement({
  description: "How far the index is.",
  fields: (t) => ({
    height: t.expose("height", { type: "SafeInt", description: "0 while nothing is indexed." }),
    nodeHeight: t.expose("nodeHeight", {
      type: "SafeInt",
      nullable: true,
      description: "Height of the node's chain; null when the node cannot be reached.",
    }),
    blocksBehind: t.field({
      type: "SafeInt",
      nullable: true,
      description: "Blocks that the node has and the index has not; null when the node cannot be reached.",
      resolve: ({ height, nodeHeight }) => (nodeHeight === undefined ? null : Math.max(0, nodeHeight - height)),
    }),
  }),
});

builder.queryFields((t) => ({
  health: t.field({
    type: HealthType,
    description: "Whether the node and the database can be reached from the gateway.",
    resolve: async (_root, _args, { db, node }) => {
      const [apiNode, database] = await Promise.all([
        answers(node.chainStatistics()),
        answers(sql`select 1`.execute(db)),
      ]);
      return { apiNode: upOrDown(apiNode), db: upOrDown(database) };
    },
  }),
  indexStatus: t.field({
    type: IndexStatusType,
    description: "How far behind the node the index is.",
    resolve: async (_root, _args, { db, node }) => {
      const [head, statistics] = await Promise.all([readHead(db), answers(node.chainStatistics())]);
      return { height: head?.height ?? 0, nodeHeight: statistics?.height };
    },
  }),
}));

function upOrDown(answer: unknown): UpOrDown {
  return answer === undefined ? "down" : "up";
}

/** The answer, or undefined when it fails or takes too long. */
async function answers<T>(question: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, HEALTH_TIMEOUT_MS, undefined);
  });
  try {
    return await Promise.race([question.catch(() => undefined), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
