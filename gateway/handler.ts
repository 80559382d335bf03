import type { Request, RequestHandler, Response } from "express";
import type { GraphQLSchema } from "graphql";
import { createContext, type Services } from "../schema/context.js";
import type { ChainTag } from "./chain-tag.js";
import { compileOperation } from "./operation.js";
import { type ReadSettings, readArguments } from "./read-arguments.js";
import type { Route, RouteWork, ServerFacts } from "./routes/route.js";
import { send } from "./send.js";

export interface HandlerOptions {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly chainTag: ChainTag;
  readonly facts: ServerFacts;
  readonly arguments: ReadSettings;
}

type OperationWork = Extract<RouteWork, { operation: string }>;

/**
 * The express handler of a route. Its operation is compiled here, once.
 * @throws Error when the operation does not fit the schema
 */
export function routeHandler(route: Route, options: HandlerOptions): RequestHandler {
  const { work } = route;
  if ("serve" in work) {
    return async (request, response) => {
      const { body, status, contentType } = await work.serve(options.facts);
      await send(request, response, status ?? 200, body, contentType);
    };
  }
  return operationHandler(route, work, options);
}

function operationHandler(route: Route, work: OperationWork, options: HandlerOptions): RequestHandler {
  const operation = compileOperation(options.schema, work.operation);
  return async (request, response) => {
    const path = request.params as Record<string, string>;
    const raw = { path, query: queryOf(request), body: request.body as unknown };
    const values = readArguments(route.arguments, raw, options.arguments);
    if (work.followsChain && (await isUnchanged(request, response, options.chainTag, work.readsState ?? false))) {
      response.statusCode = 304;
      response.end();
      return;
    }
    const data = await operation(createContext(options.services), work.variables(values));
    const { body, status, contentType, headers = {} } = work.answer(data, values, path);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    await send(request, response, status ?? route.success ?? 200, body, contentType);
  };
}

/** Tags the answer, and tells whether the client has it already. */
async function isUnchanged(
  request: Request,
  response: Response,
  chainTag: ChainTag,
  readsState: boolean,
): Promise<boolean> {
  const known = request.headers["if-none-match"];
  const tag = await (known === undefined ? chainTag.recent(readsState) : chainTag.current(readsState));
  response.setHeader("Cache-Control", "no-cache");
  if (tag === undefined) return false;
  response.setHeader("ETag", tag);
  return known !== undefined && isAmong(tag, known);
}

/** Whether a tag is among those of If-None-Match; ours have no comma in them, and are all weak. */
function isAmong(tag: string, known: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return known.trim() === "*" || known.split(",").some((text) => opaque(text) === opaque(tag));
}

function queryOf({ url }: Request): string {
  const mark = url.indexOf("?");
  return mark < 0 ? "" : url.slice(mark + 1);
}
