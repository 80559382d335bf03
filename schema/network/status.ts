import { sql } from "kysely";
import { builder } from "../graph/builder.js";
import { members } from "../graph/members.js";
import { answerInTime, type IndexStatus, readIndexStatus } from "../services/index-status.js";

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
  fields: (t) => ({
    ...members(t, {
      height: ["SafeInt", "Height of the index; 0 while nothing is indexed."],
      finalizedHeight: ["SafeInt", "Height of the last finalized block; 0 while nothing is finalized."],
      missingIndexes: [
        "SafeInt",
        "Database indexes that a backfill still has to create; meanwhile responses are slow.",
      ],
      unknownEntities: [
        "SafeInt",
        "Number of blocks, transactions and receipts of types or versions unknown to the indexer: " +
          "their known fields are served, the rest as bytes. Above 0 after a fork of the network: update the program.",
      ],
      overruledChecks: [
        "SafeInt",
        "Number of checks of the indexer that rejected blocks which the votes of the network prove: " +
          "the blocks are served, and the program should be updated.",
      ],
      newestOverruledCheck: [
        "String?",
        "The newest of them: its block, its rule and its transaction; null if there is none.",
      ],
      stateDiffersSince: [
        "SafeInt?",
        "Height since which the computed state differs from that of the network, although votes prove the blocks: " +
          "the program lacks a rule, so update it; null while it does not differ.",
      ],
      unprovenFinalization: [
        "String?",
        "Why no further block becomes final: the finalization proofs of all nodes are invalid by the voters that the " +
          "indexer computes, so the program should be updated; null while they are valid.",
      ],
      failure: [
        "String?",
        "Why the indexer cannot continue: the data that it rejected, from all of its nodes; null while it continues.",
      ],
      nodeHeight: ["SafeInt?", "Height of the node's chain; null if the node is unreachable."],
      blocksBehind: ["SafeInt?", "Number of blocks that the index lacks; null if the node is unreachable."],
      secondsBehind: [
        "SafeInt?",
        "Age of the newest indexed block, by the node's clock, while the index lacks blocks, otherwise 0; " +
          "null if the node is unreachable.",
      ],
      nodeIsOfOtherNetwork: [
        "Boolean",
        "Whether the node belongs to another network than the index: a setting of the gateway is wrong.",
      ],
      nodeHasOtherBlock: [
        "Boolean",
        "Whether the node has another block at the index's height: briefly during a fork; longer if the " +
          "indexer is down or follows another node.",
      ],
    }),
  }),
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
