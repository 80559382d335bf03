import { type ExecutionResult, GraphQLError } from "graphql";
import type { Logger } from "pino";
import { type ApiError, ClientGone, type ErrorCode, errorCodes } from "../../schema/errors/errors.js";
import { logFailure, toApiError } from "../../schema/errors/failure.js";

/** The request whose error is masked. */
export interface ErrorContext {
  /** Id of the request, or of the connection and its operation. */
  readonly requestId: string;
  /** Key of the client that sent it. */
  readonly client: string;
  readonly log: Logger;
}

/** Codes of the libraries, for documents and requests that they reject themselves, mapped to ours. */
const LIBRARY_CODES: Readonly<Record<string, ErrorCode>> = {
  GRAPHQL_PARSE_FAILED: "InvalidContent",
  GRAPHQL_VALIDATION_FAILED: "InvalidArgument",
  OPERATION_RESOLUTION_FAILURE: "InvalidArgument",
  BAD_USER_INPUT: "InvalidContent",
};

/**
 * The public form of an error: those of documents and variables unchanged, of those of resolvers only what is public,
 * always with a code of the one table. Internal errors are logged with the request id.
 */
export function maskError(error: unknown, asker: ErrorContext): GraphQLError {
  if (error instanceof GraphQLError && error.originalError == null && hasCode(error)) return error;
  const rejection = findRejection(error);
  if (rejection) return rejection;
  const failure = toApiError(error);
  const { code, extensions } = failure;
  const { nodes, source, positions, path, message } = error instanceof GraphQLError ? error : new GraphQLError("");
  const where = { nodes, source, positions, path, extensions };
  if (errorCodes[code].status < 500) {
    // Before anything was resolved, an argument was invalid: executors say which one.
    return new GraphQLError(path === undefined && message !== "" ? message : failure.message, where);
  }
  const { requestId } = asker;
  if (!(failure instanceof ClientGone)) logFailure(failure, asker, "GraphQL operation failed");
  return new GraphQLError(
    code === "InternalServiceError" ? `${failure.message}: request ${requestId}` : failure.message,
    where,
  );
}

/** The form of an error that is known to be public. */
export function asGraphqlError(error: ApiError): GraphQLError {
  return new GraphQLError(error.message, { originalError: error, extensions: { ...error.extensions } });
}

/** A result whose errors are in their public form. */
export function maskResult(result: ExecutionResult, asker: ErrorContext): ExecutionResult {
  return result.errors ? { ...result, errors: result.errors.map((error) => maskError(error, asker)) } : result;
}

/** GraphQL's own errors about a request, its document or its variables; undefined for errors of resolvers. */
function findRejection(error: unknown): GraphQLError | undefined {
  if (!(error instanceof GraphQLError) || error.path !== undefined || !isOfGraphql(error)) return undefined;
  const { message, nodes, source, positions } = error;
  const { code, http } = error.extensions;
  const extensions = { code: LIBRARY_CODES[String(code)] ?? codeOfStatus(http), ...(http !== undefined && { http }) };
  return new GraphQLError(message, { nodes, source, positions, extensions });
}

/** Whether it has a code of the table: it is masked already, or one of ours. */
function hasCode({ extensions: { code } }: GraphQLError): boolean {
  return typeof code === "string" && Object.hasOwn(errorCodes, code);
}

/** Whether its only causes are GraphQL's own errors. */
function isOfGraphql({ originalError }: GraphQLError): boolean {
  return originalError == null || (originalError instanceof GraphQLError && isOfGraphql(originalError));
}

function codeOfStatus(http: unknown): ErrorCode {
  const status = typeof http === "object" && http !== null && "status" in http ? http.status : undefined;
  const found = Object.entries(errorCodes).find(([, info]) => info.status === status && info.status < 500);
  return (found?.[0] as ErrorCode | undefined) ?? "InvalidContent";
}
