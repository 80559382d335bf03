import { GraphQLError } from "graphql";
import type { Logger } from "pino";
import { type ErrorCode, errorCodes } from "../../schema/services/errors.js";
import { toApiError } from "../../schema/services/failure.js";

/** Whose error is told. */
export interface Asker {
  /** Of the request, or of the connection and its operation. */
  readonly requestId: string;
  readonly log: Logger;
}

/** The codes of the libraries below, for documents and requests that they refuse by themselves, as codes of ours. */
const LIBRARY_CODES: Readonly<Record<string, ErrorCode>> = {
  GRAPHQL_PARSE_FAILED: "InvalidContent",
  GRAPHQL_VALIDATION_FAILED: "InvalidArgument",
  OPERATION_RESOLUTION_FAILURE: "InvalidArgument",
  BAD_USER_INPUT: "InvalidContent",
};

/**
 * What may be told of an error: those of documents and variables as they are, of those of resolvers what is fit to be
 * told, always with a code of the one table. Failures of our own side are logged under the request's id.
 */
export function maskError(error: unknown, asker: Asker): GraphQLError {
  if (error instanceof GraphQLError && error.originalError == null && hasCode(error)) return error;
  const refusal = refusalOf(error);
  if (refusal) return refusal;
  const failure = toApiError(error);
  const { code, extensions } = failure;
  const { nodes, source, positions, path, message } = error instanceof GraphQLError ? error : new GraphQLError("");
  const where = { nodes, source, positions, path, extensions };
  if (errorCodes[code].status < 500) {
    // Before anything was resolved, an argument was wrong: executors say which one.
    return new GraphQLError(path === undefined && message !== "" ? message : failure.message, where);
  }
  const { requestId, log } = asker;
  log.error({ requestId, code, err: failure.cause ?? failure }, "graphql operation failed");
  return new GraphQLError(
    code === "InternalServiceError" ? `${failure.message}: request ${requestId}` : failure.message,
    where,
  );
}

/** What GraphQL itself says against a request, its document or its variables; undefined for what resolvers throw. */
function refusalOf(error: unknown): GraphQLError | undefined {
  if (!(error instanceof GraphQLError) || error.path !== undefined || !isOfGraphql(error)) return undefined;
  const { message, nodes, source, positions } = error;
  const { code, http } = error.extensions;
  const extensions = { code: LIBRARY_CODES[String(code)] ?? codeOfStatus(http), ...(http !== undefined && { http }) };
  return new GraphQLError(message, { nodes, source, positions, extensions });
}

/** Whether it has a code of the table: it was masked already, or is one of ours. */
function hasCode({ extensions: { code } }: GraphQLError): boolean {
  return typeof code === "string" && Object.hasOwn(errorCodes, code);
}

/** Whether nothing but GraphQL's own errors is behind it. */
function isOfGraphql({ originalError }: GraphQLError): boolean {
  return originalError == null || (originalError instanceof GraphQLError && isOfGraphql(originalError));
}

function codeOfStatus(http: unknown): ErrorCode {
  const status = typeof http === "object" && http !== null && "status" in http ? http.status : undefined;
  const found = Object.entries(errorCodes).find(([, info]) => info.status === status && info.status < 500);
  return (found?.[0] as ErrorCode | undefined) ?? "InvalidContent";
}
