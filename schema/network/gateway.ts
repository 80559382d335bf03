import { builder } from "../graph/builder.js";
import type { GatewayStatus } from "../graph/context.js";
import { members } from "../graph/members.js";

const GatewayType = builder.objectRef<GatewayStatus>("Gateway").implement({
  description: "The gateway process that answers: one of several may share the port.",
  fields: (t) =>
    members(t, {
      version: ["String", "Version of the program."],
      startedAt: ["SafeInt", "Start time in milliseconds since 1970."],
      webSocketConnections: ["SafeInt", "Number of open connections to /ws."],
      webSocketSubscriptions: ["SafeInt", "Number of subscriptions of all connections to /ws."],
      graphqlConnections: ["SafeInt", "Number of open WebSocket connections to /graphql."],
      eventSequence: ["SafeInt?", "Sequence of the last delivered event; null before the database was reached."],
    }),
});

builder.queryFields((t) => ({
  gateway: t.field({
    type: GatewayType,
    description: "The gateway process, and the number of its clients.",
    resolve: (_root, _args, { status }) => status(),
  }),
}));
