import type { GraphQLSchema } from "graphql";
import { namedOperation, operationOf } from "../gateway/graphql/operation.js";
import type { Extension, ExtensionTools } from "../gateway/rest/extension.js";
import { inOnePlace, inOneStateOf, type Services } from "../schema/graph/context.js";
import { serveEndpoints } from "./serve.js";
import type { Ask, Endpoint, EndpointTools } from "./standard/endpoint.js";
import { NETWORK_OPERATION, type NetworkFacts, networkFacts } from "./standard/network.js";

/** The Mesh API below its path: one segment, such as `/mesh`. Its errors have the form of Mesh. */
export function meshExtension(path: string): Extension {
  return {
    path,
    isForOperators: false,
    serve(router, tools) {
      checkMeshPath(path, tools.otherPaths);
      const { log, schema, services } = tools;
      const readNetwork = networkReader(tools);
      const answerOf = (endpoint: Endpoint) => {
        const asking = askingOf(endpoint, schema);
        return <Result>(client: string, work: (tools: EndpointTools) => Promise<Result>) =>
          inOnePlace({ ...services, client }, async (own) => work({ network: await readNetwork(own), ...asking(own) }));
      };
      return serveEndpoints(router, { path, log, answerOf });
    },
  };
}

/** @throws Error when the path of Mesh is that of another interface */
export function checkMeshPath(path: string, others: readonly string[]): void {
  const taken = others.find((other) => other === path || other.startsWith(`${path}/`));
  if (taken !== undefined) throw new Error(`MESH_PATH must not be ${path}: the gateway serves ${taken} there`);
}

/** Runs the operations of an endpoint by their names, on one snapshot or without. */
function askingOf({ operations }: Endpoint, schema: GraphQLSchema): (own: Services) => { ask: Ask; askNow: Ask } {
  const named = (name: string) => namedOperation(schema, operations, name);
  return (own) => ({
    ask: <Data>(name: string, variables = {}) =>
      inOneStateOf(own, (ofState) => named(name)(ofState, { ...variables })) as Promise<Data>,
    askNow: <Data>(name: string, variables = {}) => named(name)(own, { ...variables }) as Promise<Data>,
  });
}

/** Reads the facts of the network until it is known: they never change. */
function networkReader({ schema }: ExtensionTools): (own: Services) => Promise<NetworkFacts> {
  const operation = operationOf(schema, NETWORK_OPERATION);
  let known: NetworkFacts | undefined;
  return async (own) => {
    known ??= networkFacts((await operation(own, {})) as never);
    return known;
  };
}
