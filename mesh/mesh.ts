import type { ErrorRequestHandler, IRouter, RequestHandler } from "express";
import type { Logger } from "pino";
import type { PublicNetworkName } from "../catapult/network/public-networks.js";
import { compileOperation } from "../gateway/graphql/operation.js";
import { exchangeOf, handler } from "../gateway/http/exchange.js";
import { jsonBody } from "../gateway/http/json-body.js";
import { otherMethods } from "../gateway/http/other-methods.js";
import { send } from "../gateway/http/send.js";
import type { Extension, ExtensionTools } from "../gateway/rest/extension.js";
import { createContext, inOneStateOf } from "../schema/graph/context.js";
import { endpoints } from "./endpoints.js";
import { builtInNetwork } from "./standard/built-in-network.js";
import type { Ask, Endpoint } from "./standard/endpoint.js";
import { describeMeshError, MeshError, toMeshError } from "./standard/errors.js";
import { checkNetwork, NETWORK_OPERATION, type NetworkFacts, networkFacts } from "./standard/network.js";
import { readMeshRequest } from "./standard/read-request.js";
import type { NetworkIdentifier } from "./standard/schemas.js";

export interface MeshOptions {
  /** One segment, such as `/mesh`. */
  readonly path: string;
  /** Served by the endpoints that need no database, instead of the network in the database. */
  readonly offlineNetwork: PublicNetworkName | undefined;
}

/** The Mesh API below its path. Its errors have the form of Mesh. */
export function meshExtension(options: MeshOptions): Extension {
  return {
    path: options.path,
    isForOperators: false,
    serve(router, tools) {
      checkMeshPath(options.path, tools.otherPaths);
      return serveMesh(router, options, tools);
    },
  };
}

/** @throws Error when the path of Mesh is that of another interface */
export function checkMeshPath(path: string, others: readonly string[]): void {
  const taken = others.find((other) => other === path || other.startsWith(`${path}/`));
  if (taken !== undefined) throw new Error(`MESH_PATH must not be ${path}: the gateway serves ${taken} there`);
}

/**
 * @returns the handler of all errors below the path
 * @throws Error when an operation does not match the schema
 */
function serveMesh(app: IRouter, { path, offlineNetwork }: MeshOptions, tools: ExtensionTools): ErrorRequestHandler {
  const { bodyLimitBytes, log } = tools;
  const readNetwork = networkReader(tools);
  const offline = offlineNetwork && builtInNetwork(offlineNetwork);
  const readOffline = offline ? async () => offline : readNetwork;
  for (const one of endpoints) {
    const route = `${path}${one.path}`;
    const isOffline = Object.keys(one.operations).length === 0;
    app
      .route(route)
      .all((_request, response, next) => {
        exchangeOf(response).route = route;
        next();
      })
      .post(...jsonBody(bodyLimitBytes), endpointHandler(one, isOffline ? readOffline : readNetwork, tools))
      .all(otherMethods(["POST"]));
  }
  app.use(path, () => {
    throw new MeshError("noSuchEndpoint", { endpoints: endpoints.map((one) => one.path) });
  });
  return failureHandler(log);
}

function endpointHandler(
  { request: schema, operations, answer }: Endpoint,
  readNetwork: () => Promise<NetworkFacts>,
  { schema: graph, services }: ExtensionTools,
): RequestHandler {
  const compiled = new Map(Object.entries(operations).map(([name, text]) => [name, compileOperation(graph, text)]));
  const operationOf = (name: string) => {
    const operation = compiled.get(name);
    if (!operation) throw new Error(`no operation ${name}`);
    return operation;
  };
  const ask: Ask = <Data>(name: string, variables = {}) =>
    inOneStateOf(services, (context) => operationOf(name)(context, { ...variables })) as Promise<Data>;
  const askNow: Ask = <Data>(name: string, variables = {}) =>
    operationOf(name)(createContext(services), { ...variables }) as Promise<Data>;
  return handler(async (request, response) => {
    const read = readMeshRequest(schema, request.body) as { readonly network_identifier?: NetworkIdentifier };
    const network = await readNetwork();
    if (read.network_identifier) checkNetwork(read.network_identifier, network);
    const body = await answer(read as never, { network, ask, askNow });
    await send(request, response, 200, JSON.stringify(body));
  });
}

/** Reads the facts of the network until it is known: they never change. */
function networkReader({ schema, services }: ExtensionTools): () => Promise<NetworkFacts> {
  const operation = compileOperation(schema, NETWORK_OPERATION);
  let known: NetworkFacts | undefined;
  return async () => {
    known ??= networkFacts((await operation(createContext(services), {})) as never);
    return known;
  };
}

/** Express recognizes an error handler by its four parameters. */
function failureHandler(log: Logger): ErrorRequestHandler {
  return async (error, request, response, _next) => {
    const failure = toMeshError(error);
    const { requestId, connection } = exchangeOf(response);
    if (connection.signal.aborted) return;
    const isOurs = failure.entry === "internalError" || failure.entry === "unavailable";
    if (isOurs) log.error({ requestId, error: failure.entry, err: failure.cause ?? failure }, "Request failed");
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { status, body } = describeMeshError(failure, requestId);
    await send(request, response, status, JSON.stringify(body));
  };
}
