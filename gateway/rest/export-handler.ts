import type { RequestHandler } from "express";
import type { GraphQLSchema } from "graphql";
import { type Services, withOneConnection } from "../../schema/graph/context.js";
import type { ClientLimit } from "../clients/client-limit.js";
import type { Behaviour } from "../compatibility/compatibility.js";
import { namedOperation } from "../graphql/operation.js";
import { exchangeOf, handler } from "../http/exchange.js";
import { sendParts } from "../http/send-parts.js";
import { readRequest, sliceQuery } from "./read-arguments.js";
import { BYTE_ORDER_MARK, gathered } from "./route/csv.js";
import type { ExportWork, Route } from "./route/route.js";

const CSV_TYPE = "text/csv; charset=utf-8; header=present";

export interface ExportHandlerOptions {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly behaviour: Behaviour;
  readonly exports: ClientLimit;
}

/**
 * The handler of an export: a file whose rows are read as fast as the client takes them. A client that takes
 * nothing for a minute is disconnected like any other.
 */
export function exportHandler(route: Route, work: ExportWork, options: ExportHandlerOptions): RequestHandler {
  const { schema, services, behaviour, exports } = options;
  const asking =
    (own: Services): Parameters<ExportWork["rows"]>[0] =>
    async (name, variables) =>
      namedOperation(schema, work.operations, name)(own, { ...variables });
  return handler(async (request, response) => {
    const path = request.params as Record<string, string>;
    const raw = { path, query: sliceQuery(request.url), headers: request.headers, body: undefined };
    const { values, variables } = readRequest(route, work, raw, behaviour);
    const headers = {
      "Content-Type": CSV_TYPE,
      "Content-Disposition": `attachment; filename="${work.fileName(path)}"`,
    };
    const { client, connection } = exchangeOf(response);
    await exports.run(client, connection.signal, () =>
      withOneConnection(services, (own) => {
        const rows = gathered(work.rows(asking(own), variables, path), values.bom === true ? BYTE_ORDER_MARK : "");
        return sendParts(request, response, 200, rows, headers);
      }),
    );
  });
}
