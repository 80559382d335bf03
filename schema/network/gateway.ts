import { builder } from "../graph/builder.js";
import type { GatewayFigures } from "../graph/context.js";

const GatewayType = builder.objectRef<GatewayFigures>("Gateway").implement({
  description: "The process that answers: one of several may share the port.",
  fields: (t) => ({
    version: t.exposeString("version", { description: "Of the program." }),
    startedAt: t.expose("startedAt", { type: "SafeInt", description: "Milliseconds since 1970." }),
    webSocketConnections: t.expose("webSocketConnections", { type: "SafeInt", description: "Clients of /ws." }),
    webSocketSubscriptions: t.expose("webSocketSubscriptions", {
      type: "SafeInt",
      description: "Subscriptions of all clients of /ws.",
    }),
    graphqlConnections: t.expose("graphqlConnections", {
      type: "SafeInt",
      description: "Clients of /graphql over WebSocket.",
    }),
    eventSequence: t.expose("eventSequence", {
      type: "SafeInt",
      nullable: true,
      description: "Number of the last event that was handed out; null before the database was reached.",
    }),
  }),
});

builder.queryFields((t) => ({
  gateway: t.field({
    type: GatewayType,
    description: "The gateway itself, and who is connected with it.",
    resolve: (_root, _args, { figures }) => figures(),
  }),
}));
