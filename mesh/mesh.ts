import type { GraphQLSchema } from "graphql";
import { namedOperation, operationOf } from "../gateway/graphql/operation.js";
import type { Extension, ExtensionTools } from "../gateway/rest/extension.js";
import { inOneStateOf, type Services, withOneConnection } from "../schema/graph/context.js";
import { endpoints } from "./endpoints.js";
import { serveEndpoints } from "./serve.js";
import type { Ask, Endpoint, EndpointTools } from "./standard/endpoint.js";
import { NETWORK_OPERATION, type NetworkFacts, networkFacts } from "./standard/network.js";

const ROOT = "/";

/**
 * The Mesh API below its path: one segment, such as `/mesh`, or `/`, where catapult-rest has its Rosetta. Its errors have
 * the form of Mesh.
 * @param isLikeReference see {@link NetworkFacts}
 */
export function meshExtensions(path: string, isLikeReference = false): readonly Extension[] {
  if (path !== ROOT) return [meshExtension(path, endpoints, isLikeReference)];
  // Beside the routes of REST in each of these.
  const segments = new Set(endpoints.map((one) => firstSegmentOf(one.path)));
  return [...segments].map((segment) => {
    const own = endpoints.filter((one) => firstSegmentOf(one.path) === segment);
    return meshExtension(segment, own, isLikeReference, ROOT);
  });
}

const firstSegmentOf = (path: string) => `/${path.split("/")[1]}`;

/** @param base of the endpoints' paths: the path, or `/` for those in it that are at the root */
function meshExtension(
  path: string,
  served: readonly Endpoint[],
  isLikeReference: boolean,
  base: string = path,
): Extension {
  return {
    path,
    isForOperators: false,
    serve(router, tools) {
      const paths = base === ROOT ? served.map((one) => one.path) : [path];
      for (const one of paths) checkMeshPath(one, tools.otherPaths);
      const { log, schema, services } = tools;
      const readNetwork = networkReader(tools, isLikeReference);
      const answerOf = (endpoint: Endpoint) => {
        const asking = makeAsk(endpoint, schema);
        return <Result>(client: string, work: (tools: EndpointTools) => Promise<Result>) =>
          withOneConnection({ ...services, client }, async (own) =>
            work({ network: await readNetwork(own), ...asking(own) }),
          );
      };
      return serveEndpoints(router, { path: base, served, log, answerOf });
    },
  };
}

/** @throws Error when the path of Mesh is that of another interface */
export function checkMeshPath(path: string, others: readonly string[]): void {
  const taken = others.find((other) => other === path || other.startsWith(`${path}/`));
  if (taken !== undefined) throw new Error(`MESH_PATH must not be ${path}: the gateway serves ${taken} there`);
}

/** Runs the operations of an endpoint by their names, on one snapshot or without. */
function makeAsk({ operations }: Endpoint, schema: GraphQLSchema): (own: Services) => { ask: Ask; askNow: Ask } {
  const named = (name: string) => namedOperation(schema, operations, name);
  return (own) => ({
    ask: <Data>(name: string, variables = {}) =>
      inOneStateOf(own, (ofState) => named(name)(ofState, { ...variables })) as Promise<Data>,
    askNow: <Data>(name: string, variables = {}) => named(name)(own, { ...variables }) as Promise<Data>,
  });
}

/** Reads the facts of the network until it is known: they never change. */
function networkReader({ schema }: ExtensionTools, isLikeReference: boolean): (own: Services) => Promise<NetworkFacts> {
  const operation = operationOf(schema, NETWORK_OPERATION);
  let known: NetworkFacts | undefined;
  return async (own) => {
    known ??= networkFacts((await operation(own, {})) as never, isLikeReference);
    return known;
  };
}
