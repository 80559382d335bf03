import { GraphQLError } from "graphql";
import { NodeError, NodeUnavailableError } from "../catapult/errors.js";
import { ApiError, serviceUnavailable } from "./errors.js";

/** PostgreSQL: classes 08 (connection), 53 (resources), 57P0x (going down or not up yet); 40001 and 57014 came too late. */
const UNAVAILABLE_STATES = /^(08...|53...|57P0.|57014|40001)$/;
const NETWORK_ERRORS = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ENOENT", "EPIPE", "ETIMEDOUT"]);
/** What the driver throws without a code. */
const DRIVER_MESSAGES = /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable/;

/**
 * What may be told of a failure of any kind: an ApiError as it is, ServiceUnavailable when the database or the node
 * cannot be reached, else InternalServiceError. What is not told is in `cause`.
 */
export function toApiError(error: unknown): ApiError {
  const original = unwrap(error);
  if (original instanceof ApiError) return original;
  if (original instanceof NodeUnavailableError || original instanceof NodeError) {
    return serviceUnavailable("the node cannot be reached or did not answer as it should", original);
  }
  if (isDatabaseUnavailable(original)) {
    return serviceUnavailable("the database cannot be reached or did not answer in time", original);
  }
  return new ApiError("InternalServiceError", "the gateway failed", { cause: original });
}

/** Executors wrap what resolvers throw, more than once where a variable was refused. */
function unwrap(error: unknown): unknown {
  let original = error;
  while (original instanceof GraphQLError && original.originalError) original = original.originalError;
  return original;
}

function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return UNAVAILABLE_STATES.test(code) || NETWORK_ERRORS.has(code) || DRIVER_MESSAGES.test(error.message);
}
