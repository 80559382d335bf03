import { sql } from "kysely";
import { builder } from "../graph/builder.js";
import { members } from "../graph/members.js";
import { answerInTime, type IndexStatus, readIndexStatus, statusMembers } from "../services/index-status.js";

type UpOrDown = "up" | "down";

interface Health {
  readonly apiNode: UpOrDown;
  readonly db: UpOrDown;
}

const UpOrDownType = builder.enumType("UpOrDown", {
  description: "Availability of a service.",
  values: {
    up: { value: "up", description: "It responds in time." },
    down: { value: "down", description: "It does not respond in time." },
  } as const,
});

const HealthType = builder.objectRef<Health>("Health").implement({
  description: "Availability of the services of the gateway.",
  fields: (t) => ({
    apiNode: t.expose("apiNode", { description: "Availability of the node.", type: UpOrDownType }),
    db: t.expose("db", { description: "Availability of the database.", type: UpOrDownType }),
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
      const [apiNode, database] = await Promise.all([
        answerInTime(node.chainStatistics()),
        answerInTime(sql`select 1`.execute(db)),
      ]);
      return { apiNode: upOrDown(apiNode), db: upOrDown(database) };
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
