import { z } from "zod";
import { type BodyOf, count, HeightOrZero } from "../../../catapult/values/scalars.js";
import { serviceUnavailable } from "../../../schema/errors/errors.js";
import { type IndexStatus, type StatusMember, statusMembers } from "../../../schema/network/status.js";
import { EVENTS_PATH } from "../../events/event-streams.js";
import { query } from "../route/argument.js";
import { lag } from "../route/argument-types.js";
import { json, operationRoute, type Route, serverRoute } from "../route/route.js";

const path = z.string().describe("Path on this server.");

const InterfacesDTO = z
  .object({
    name: z.string().describe("Name of the program."),
    version: z.string().describe("Version of the program."),
    rest: z.object({ docs: path, openapi: path }).describe("The REST interface."),
    messages: z.object({ asyncapi: path }).describe("The messages of `/ws` and `/events`."),
    webSocket: path,
    events: path,
    health: path,
    graphql: path.optional(),
    explorer: path.optional(),
    ready: path.optional(),
    metrics: path.optional(),
  })
  .meta({ id: "InterfacesDTO", description: "The interfaces of this server." });

const heightText = z.string().regex(/^(0|[1-9][0-9]*)$/);

function readinessSchema({ type, ready, description }: StatusMember): z.ZodType {
  const isHeight = ready === "height";
  if (type === "SafeInt") return (isHeight ? HeightOrZero : count).describe(description);
  const value = isHeight ? heightText : type === "SafeInt?" ? count : z.string();
  return value.nullable().describe(description);
}

const ReadinessDTO = z
  .object(
    Object.fromEntries(
      statusMembers.flatMap((member) => (member.ready ? [[member.name, readinessSchema(member)] as const] : [])),
    ),
  )
  .meta({ id: "ReadinessDTO", description: "Lag of the index behind the node." });

const info = z.looseObject({}).describe("Title and version of the interface.");
const components = z.looseObject({}).describe("Schemas that others refer to.");

const OpenApiDocument = z
  .looseObject({
    openapi: z.string().describe("Version of OpenAPI."),
    info,
    paths: z.looseObject({}).describe("Operations by path."),
    components,
  })
  .meta({ id: "OpenApiDocument", description: "A document of OpenAPI 3.0." });

const AsyncApiDocument = z
  .looseObject({
    asyncapi: z.string().describe("Version of AsyncAPI."),
    info,
    channels: z.looseObject({}).describe("Channels by name."),
    operations: z.looseObject({}).describe("Operations by name."),
    components,
  })
  .meta({ id: "AsyncApiDocument", description: "A document of AsyncAPI 3.0." });

/** As GraphQL answers it. */
type AnsweredStatus = {
  readonly [Name in keyof IndexStatus]: undefined extends IndexStatus[Name]
    ? Exclude<IndexStatus[Name], undefined> | null
    : IndexStatus[Name];
};

/** Maximum lag for a load balancer: above it the response is 503. */
interface Tolerance {
  readonly maxBlocksBehind: number | undefined;
  readonly maxSecondsBehind: number | undefined;
}

/**
 * Rejects an index that cannot continue, is empty, lacks database indexes, belongs to another network than the node,
 * is on another branch, or lags more than allowed. If the node is unreachable, the index passes: its lag is unknown,
 * and a node that is down must not take every gateway out of service.
 */
function requireReady(status: AnsweredStatus, { maxBlocksBehind, maxSecondsBehind }: Tolerance): void {
  const { height, missingIndexes, blocksBehind, secondsBehind, failure } = status;
  if (failure !== null) throw serviceUnavailable(`the index cannot continue at height ${height}: ${failure}`);
  if (height === 0) throw serviceUnavailable("nothing is indexed yet: try again");
  if (missingIndexes > 0) {
    throw serviceUnavailable(`${missingIndexes} database indexes are still to be created, by a backfill or an indexer`);
  }
  if (status.nodeIsOfOtherNetwork) {
    throw serviceUnavailable("the node belongs to another network than the index: see CATAPULT_NODES and DATABASE_URL");
  }
  if (status.nodeHasOtherBlock) {
    throw serviceUnavailable(
      `the node has another block at height ${height} than the index: they are on different branches`,
    );
  }
  const reject = (behind: number | null, max: number | undefined, unit: string) => {
    if (behind === null || max === undefined || behind <= max) return;
    throw serviceUnavailable(`the index is ${behind} ${unit} behind the node, the maximum is ${max}`);
  };
  reject(blocksBehind, maxBlocksBehind, "blocks");
  reject(secondsBehind, maxSecondsBehind, "seconds");
}

const tag = "Server";

export const serverRoutes: readonly Route[] = [
  serverRoute(
    {
      method: "GET",
      path: "/",
      operationId: "getInterfaces",
      tag,
      summary: "Lists the interfaces of this server.",
      result: InterfacesDTO,
    },
    ({ version, servesOperators }) =>
      json<BodyOf<typeof InterfacesDTO>>({
        name: "symbol-gateway",
        version,
        rest: { docs: "/docs", openapi: "/openapi.json" },
        messages: { asyncapi: "/asyncapi.json" },
        webSocket: "/ws",
        events: EVENTS_PATH,
        health: "/node/health",
        ...(servesOperators && {
          graphql: "/graphql",
          explorer: "/explorer",
          ready: "/ready",
          metrics: "/metrics",
        }),
      }),
  ),
  operationRoute(
    {
      method: "GET",
      path: "/ready",
      operationId: "getReadiness",
      tag,
      summary:
        "Lag of the index behind the node; 503 while nothing is indexed, while a backfill is incomplete, while the indexer rejects the data of its nodes, while the node has another block at the index's height, or if the lag exceeds a maximum.",
      arguments: {
        maxBlocksBehind: query(lag, "Maximum lag in blocks; above it the response is 503."),
        maxSecondsBehind: query(lag, "Maximum lag in seconds; above it the response is 503."),
      },
      result: ReadinessDTO,
    },
    {
      operation: `{ indexStatus { ${statusMembers.map(({ name }) => name).join(" ")} } }`,
      variables: () => ({}),
      followsChain: false,
      answer: ({ indexStatus }: { readonly indexStatus: AnsweredStatus }, tolerance) => {
        requireReady(indexStatus, tolerance);
        const shown = statusMembers.filter(({ ready }) => ready !== undefined);
        const members = shown.map(({ name, ready }) => {
          const value = indexStatus[name];
          return [name, ready === "height" && value !== null ? String(value) : value] as const;
        });
        return json(Object.fromEntries(members));
      },
    },
  ),
  serverRoute(
    {
      method: "GET",
      path: "/metrics",
      operationId: "getMetrics",
      tag,
      summary: "Metrics for Prometheus, as text.",
      result: z.string(),
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
      summary: "The OpenAPI description of this interface.",
      result: OpenApiDocument,
    },
    async ({ descriptions }) => ({ body: descriptions.openApi() }),
  ),
  serverRoute(
    {
      method: "GET",
      path: "/asyncapi.json",
      operationId: "getAsyncApi",
      tag,
      summary: "The AsyncAPI description of the messages of /ws and /events.",
      result: AsyncApiDocument,
    },
    async ({ descriptions }, origin) => ({ body: descriptions.asyncApi(origin) }),
  ),
];
