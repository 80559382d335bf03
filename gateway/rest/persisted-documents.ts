import type { Request, RequestHandler, Response } from "express";
import { type DocumentNode, type GraphQLSchema, getOperationAST, getVariableValues, parse } from "graphql";
import { ApiError, invalidArgument, invalidContent, notFound } from "../../schema/errors/errors.js";
import { type Services, withOneConnection } from "../../schema/graph/context.js";
import { operationOf } from "../graphql/operation.js";
import { exchangeOf, handler } from "../http/exchange.js";
import { requireShallow } from "../http/json-body.js";
import { send } from "../http/send.js";
import type { ExtensionTools } from "./extension.js";
import { sendTagged } from "./handler.js";

/** Base of relative addresses. */
const LOCAL = "http://localhost";

/** GraphQL documents by their names. */
export interface PersistedDocuments {
  /** Answered from the index alone: the same until it changes. */
  readonly ofIndex: Readonly<Record<string, string>>;
  readonly ofNow: Readonly<Record<string, string>>;
}

type Variables = Record<string, unknown>;
/** The data of one of the documents. */
// biome-ignore lint/suspicious/noExplicitAny: data is of every form
export type Ask = (name: string, variables?: Variables) => Promise<any>;
/** Asks all that a page shows first; false if there is no such page. */
export type ReadPage = (page: URL, ask: Ask) => Promise<boolean>;

interface DocumentHandlers {
  /** `…/:name?variables=<JSON>`: the data of one document. */
  readonly ofDocument: RequestHandler;
  /** `…?page=<path and query>`: a list of all that a page shows first, without what failed. */
  readonly ofPage: RequestHandler;
}

/**
 * Answers with the data of some documents. No other can be run, so strangers may ask; what is the same until the index
 * changes is cached as answers of REST are.
 * @param isPublic whether answers may be cached: they are found before access is checked
 */
export function documentHandlers(
  { ofIndex, ofNow }: PersistedDocuments,
  readPage: ReadPage,
  { schema, services, cache }: ExtensionTools,
  isPublic: boolean,
): DocumentHandlers {
  const documents = new Map(
    Object.entries({ ...ofIndex, ...ofNow }).map(([name, text]) => [
      name,
      { document: parse(text), run: operationOf(schema, text) },
    ]),
  );
  const mayKeep = (name: string) => isPublic && Object.hasOwn(ofIndex, name);

  async function run(own: Services, name: string, variables: Variables): Promise<unknown> {
    const known = documents.get(name);
    if (!known) throw notFound(name.slice(0, MAX_NAME_LENGTH));
    checkVariables(schema, known.document, variables);
    return known.run(own, variables);
  }

  /** @param version of the database, from before it was read; undefined for an answer that must not be cached */
  function sendData(request: Request, response: Response, data: unknown, version: number | undefined) {
    const body = JSON.stringify(data);
    if (version !== undefined) return sendTagged(request, response, { body }, cache, version);
    return send(request, response, 200, body);
  }

  return {
    ofDocument: handler(async (request, response) => {
      const name = String(request.params.name);
      const variables = readVariables(readParameter(request, "variables") ?? "{}");
      const { version } = cache;
      const { signal } = exchangeOf(response).connection;
      const data = await withOneConnection(services, (own) => run(own, name, variables), signal);
      await sendData(request, response, data, mayKeep(name) ? version : undefined);
    }),
    ofPage: handler(async (request, response) => {
      const page = readPath(readParameter(request, "page") ?? "");
      const { version } = cache;
      const { signal } = exchangeOf(response).connection;
      const answers: { name: string; variables: Variables; data: unknown }[] = [];
      let isOfIndex = true;
      const isThere = await withOneConnection(
        services,
        (own) =>
          readPage(page, async (name, variables = {}) => {
            isOfIndex &&= mayKeep(name);
            const data = await run(own, name, variables).catch((error) => {
              isOfIndex = false;
              throw error;
            });
            answers.push({ name, variables, data });
            return data;
          }),
        signal,
      );
      if (!isThere) throw notFound(page.pathname.slice(0, MAX_NAME_LENGTH));
      await sendData(request, response, answers, isOfIndex ? version : undefined);
    }),
  };
}

const MAX_NAME_LENGTH = 50;

/** @throws ApiError for other parameters */
function readParameter({ url }: Request, name: string): string | undefined {
  const query = new URL(url, LOCAL).searchParams;
  const unknown = [...query.keys()].find((one) => one !== name);
  if (unknown !== undefined) throw invalidArgument(`there is no parameter ${unknown.slice(0, MAX_NAME_LENGTH)}`);
  return query.get(name) ?? undefined;
}

/** @throws ApiError for anything but an object */
function readVariables(text: string): Variables {
  let variables: unknown;
  try {
    variables = JSON.parse(text);
  } catch {
    throw invalidContent("variables", "a JSON object");
  }
  if (typeof variables !== "object" || variables === null || Array.isArray(variables))
    throw invalidContent("variables", "a JSON object");
  requireShallow("variables", variables);
  return variables as Variables;
}

/** @throws ApiError for what is no path */
function readPath(text: string): URL {
  try {
    const page = new URL(text, LOCAL);
    decodeURIComponent(page.pathname);
    if (page.origin === LOCAL) return page;
  } catch {
    // As another origin.
  }
  throw invalidContent("page", "a path");
}

/** @throws ApiError when a variable is not of its type */
function checkVariables(schema: GraphQLSchema, document: DocumentNode, variables: Variables): void {
  const definitions = getOperationAST(document)?.variableDefinitions ?? [];
  const [invalid] = getVariableValues(schema, definitions, variables).errors ?? [];
  if (invalid) throw new ApiError("InvalidContent", invalid.message);
}
