import type { Request, RequestHandler } from "express";
import { type DocumentNode, type GraphQLSchema, getOperationAST, getVariableValues, parse } from "graphql";
import { createOperationContext } from "../../schema/graph/context.js";
import { ApiError, invalidArgument, invalidContent, notFound } from "../../schema/services/errors.js";
import { OperationMeter } from "../../schema/services/operation-meter.js";
import { checkCost } from "../graphql/cost.js";
import { graphqlLimits } from "../graphql/limits.js";
import { compileOperation } from "../graphql/operation.js";
import { exchangeOf, handler } from "../http/exchange.js";
import { send } from "../http/send.js";
import type { ExtensionTools } from "./extension.js";
import { sendTagged } from "./handler.js";

/** Longest `variables`, in characters: a page of a list has a few hundred. */
const MAX_LENGTH = 8_192;

/** GraphQL documents by their names. */
export interface KnownDocuments {
  /** Answered from the index alone: the same until it changes. */
  readonly ofIndex: Readonly<Record<string, string>>;
  readonly ofNow: Readonly<Record<string, string>>;
}

/**
 * Answers `…/:name?variables=<JSON>` with the data of one of the documents. No other can be run, so strangers may ask: what
 * an answer costs is limited as in `/graphql`, and one that is the same until the index changes is kept as those of REST
 * are.
 * @param isPublic whether answers may be kept: they are found before access is checked
 * @throws Error when a document does not match the schema
 */
export function documentHandler(
  { ofIndex, ofNow }: KnownDocuments,
  { schema, services, kept }: ExtensionTools,
  isPublic: boolean,
): RequestHandler {
  const documents = new Map(
    Object.entries({ ...ofIndex, ...ofNow }).map(([name, text]) => [
      name,
      { document: parse(text), run: compileOperation(schema, text), mayKeep: isPublic && Object.hasOwn(ofIndex, name) },
    ]),
  );
  return handler(async (request, response) => {
    const { connection } = exchangeOf(response);
    const name = String(request.params.name);
    const known = documents.get(name);
    if (!known) throw notFound(name.slice(0, MAX_NAME_LENGTH));
    const variables = readVariables(request);
    checkVariables(schema, known.document, variables);
    const meter = new OperationMeter(graphqlLimits);
    const onGone = () => meter.end();
    connection.signal.addEventListener("abort", onGone);
    try {
      // Before the database is read.
      const { edition } = kept;
      const data = await meter.race(known.run(createOperationContext(services, meter), variables));
      const body = JSON.stringify(data);
      if (known.mayKeep) return await sendTagged(request, response, { body }, kept, edition);
      response.setHeader("Cache-Control", "no-store");
      return await send(request, response, 200, body);
    } finally {
      connection.signal.removeEventListener("abort", onGone);
      meter.end();
    }
  });
}

const MAX_NAME_LENGTH = 50;

/** @throws ApiError for anything but an object of bounded length, and for other parameters */
function readVariables({ url }: Request): Record<string, unknown> {
  const query = new URL(url, "http://localhost").searchParams;
  const unknown = [...query.keys()].find((name) => name !== "variables");
  if (unknown !== undefined) throw invalidArgument(`there is no parameter ${unknown.slice(0, MAX_NAME_LENGTH)}`);
  const text = query.get("variables") ?? "{}";
  if (text.length > MAX_LENGTH)
    throw invalidArgument(`variables has ${text.length} characters, the limit is ${MAX_LENGTH}`);
  let variables: unknown;
  try {
    variables = JSON.parse(text);
  } catch {
    throw invalidContent("variables", "a JSON object");
  }
  if (typeof variables !== "object" || variables === null || Array.isArray(variables))
    throw invalidContent("variables", "a JSON object");
  return variables as Record<string, unknown>;
}

/** @throws ApiError when a variable is not of its type, or the answer may be too large */
function checkVariables(schema: GraphQLSchema, document: DocumentNode, variables: Record<string, unknown>): void {
  const definitions = getOperationAST(document)?.variableDefinitions ?? [];
  const [invalid] = getVariableValues(schema, definitions, variables).errors ?? [];
  if (invalid) throw new ApiError("InvalidContent", invalid.message);
  const costly = checkCost({ schema, document, variables }, graphqlLimits.cost);
  if (costly) throw invalidArgument(costly.message);
}
