import type { GraphQLSchema } from "graphql";
import { createContext, type Services } from "../../schema/graph/context.js";
import { ApiError } from "../../schema/services/errors.js";
import type { FairGate } from "../clients/fair-gate.js";
import { clientKeyOf } from "../clients/request-turns.js";
import type { Behaviour } from "../compatibility/compatibility.js";
import { compileOperation } from "../graphql/operation.js";
import { sendParts } from "../http/send-parts.js";
import { queryOf, readRequest } from "./read-request.js";
import type { RouteHandler } from "./route-request.js";
import { gathered } from "./routes/csv.js";
import type { ExportWork, Route } from "./routes/route.js";

const CSV_TYPE = "text/csv; charset=utf-8; header=present";

export interface ExportHandlerOptions {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly behaviour: Behaviour;
  /** Bounds the exports that one client takes at one time. */
  readonly exports: FairGate;
}

/**
 * The handler of an export: a file whose rows are read as fast as the client takes them. A client that takes
 * nothing for a minute is disconnected like any other.
 * @throws Error when an operation does not match the schema
 */
export function exportHandler(route: Route, work: ExportWork, options: ExportHandlerOptions): RouteHandler {
  const { schema, services, behaviour, exports } = options;
  const operations = new Map(
    Object.entries(work.operations).map(([name, text]) => [name, compileOperation(schema, text)]),
  );
  const ask: Parameters<ExportWork["rows"]>[0] = async (name, variables) => {
    const operation = operations.get(name);
    if (!operation) throw new Error(`${route.operationId} has no operation ${name}`);
    return operation(createContext(services), { ...variables });
  };
  return async ({ request, response, path, turn }) => {
    await turn.take();
    const raw = { path, query: queryOf(request.url as string), headers: request.headers, body: undefined };
    const { variables } = readRequest(route, work, raw, behaviour);
    const release = exports.tryEnter(clientKeyOf(response));
    if (!release)
      throw new ApiError("TooManyRequests", "too many exports of yours are in progress: wait for one to end");
    response.once("close", release);
    // The client may have disconnected while the request was read.
    if (response.closed) return release();
    const headers = {
      "Content-Type": CSV_TYPE,
      "Content-Disposition": `attachment; filename="${work.fileName(path)}"`,
    };
    await sendParts(request, response, 200, gathered(work.rows(ask, variables, path)), headers);
  };
}
