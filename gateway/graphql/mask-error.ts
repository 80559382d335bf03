import { randomUUID } from "node:crypto";
import { GraphQLError } from "graphql";
import type { Logger } from "pino";
import { errorCodes } from "../../schema/errors.js";
import { toApiError } from "../../schema/failure.js";

/** Errors of the document itself pass; what resolvers throw is told as far as it may be told, and logged. */
export function maskError(error: unknown, log: Logger): GraphQLError {
  if (error instanceof GraphQLError && !error.originalError) return error;
  const failure = toApiError(error);
  const { code, extensions } = failure;
  const { nodes, source, positions, path, message } = error instanceof GraphQLError ? error : new GraphQLError("");
  const where = { nodes, source, positions, path, extensions };
  if (errorCodes[code].status < 500) {
    // Before anything was resolved, an argument was wrong: executors say which one.
    return new GraphQLError(path === undefined && message !== "" ? message : failure.message, where);
  }
  const errorId = randomUUID();
  log.error({ errorId, code, err: failure.cause ?? failure }, "graphql operation failed");
  return new GraphQLError(
    code === "InternalServiceError" ? `${failure.message}: error ${errorId}` : failure.message,
    where,
  );
}
