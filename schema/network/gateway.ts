import { builder } from "../graph/builder.js";
import type { GatewayStatus } from "../graph/context.js";

const GatewayType = builder.objectRef<GatewayStatus>("Gateway").implement({
  description: "The gateway process that answers: one of several may share the port.",
  fields: (t) => ({
    version: t.exposeString("version", { description: "Version of the program." }),
    startedAt: t.expose("startedAt", { type: "SafeInt", description: "Start time in milliseconds since 1970." }),
    webSocketConnections: t.expose("webSocketConnections", {
      type: "SafeInt",
      description: "Number of open connections to /ws.",
    }),
    webSocketSubscriptions: t.expose("webSocketSubscriptions", {
      type: "SafeInt",
      description: "Number of subscriptions of all connections to /ws.",
    }),
    graphqlConnections: t.expose("graphqlConnections", {
      type: "SafeInt",
      description: "Number of open WebSocket connections to /graphql.",
    }),
    eventSequence: t.expose("eventSequence", {
      type: "SafeInt",
      nullable: true,
      description: "Sequence of the last delivered event; null before the database was reached.",
    }),
  }),
});

builder.queryFields((t) => ({
  gateway: t.field({
    type: GatewayType,
    description: "The gateway process, and the number of its clients.",
    resolve: (_root, _args, { status }) => status(),
  }),
}));
