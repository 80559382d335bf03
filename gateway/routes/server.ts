import { serviceUnavailable } from "../../schema/errors.js";
import { json, operationRoute, type Route, serverRoute } from "./route.js";

interface StatusData {
  readonly indexStatus: {
    readonly height: number;
    readonly nodeHeight: number | null;
    readonly blocksBehind: number | null;
  };
}

const tag = "Server";

export const serverRoutes: readonly Route[] = [
  serverRoute(
    {
      method: "GET",
      path: "/",
      operationId: "getInterfaces",
      tag,
      summary: "Names the interfaces of this server.",
      result: { type: "object" },
    },
    ({ version }) =>
      json({
        name: "symbol-gateway",
        version,
        rest: { docs: "/docs", openapi: "/openapi.json" },
        webSocket: "/ws",
        graphql: "/graphql",
        health: "/node/health",
        ready: "/ready",
        metrics: "/metrics",
      }),
  ),
  operationRoute(
    {
      method: "GET",
      path: "/ready",
      operationId: "getReadiness",
      tag,
      summary: "How far behind the node the index is; with status 503 while there is nothing to serve.",
      arguments: {},
      result: {
        type: "object",
        required: ["height", "nodeHeight", "blocksBehind"],
        properties: {
          height: { type: "string" },
          nodeHeight: { type: "string", nullable: true, description: "Null when the node cannot be reached." },
          blocksBehind: { type: "integer", nullable: true, description: "Null when the node cannot be reached." },
        },
      },
    },
    {
      operation: "{ indexStatus { height nodeHeight blocksBehind } }",
      followsChain: false,
      answer: ({ indexStatus: { height, nodeHeight, blocksBehind } }: StatusData) => {
        if (height === 0) throw serviceUnavailable("nothing is indexed yet: try again");
        return json({
          height: String(height),
          nodeHeight: nodeHeight === null ? null : String(nodeHeight),
          blocksBehind,
        });
      },
    },
  ),
  serverRoute(
    {
      method: "GET",
      path: "/metrics",
      operationId: "getMetrics",
      tag,
      summary: "Figures for Prometheus, as text.",
      result: { type: "string" },
      mediaType: "text/plain",
    },
    async ({ metrics }) => {
      const { text, contentType } = await metrics();
      return { body: text, contentType };
    },
  ),
  serverRoute(
    {
      method: "GET",
      path: "/openapi.json",
      operationId: "getOpenApi",
      tag,
      summary: "The description of this interface.",
      result: { type: "object" },
    },
    ({ openApi }) => ({ body: openApi }),
  ),
  serverRoute(
    {
      method: "GET",
      path: "/docs",
      operationId: "getDocs",
      tag,
      summary: "The description of this interface as a page for people.",
      result: { type: "string" },
      mediaType: "text/html",
    },
    ({ docsPage }) => ({ body: docsPage, contentType: "text/html; charset=utf-8" }),
  ),
];
