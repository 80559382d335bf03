import { GraphQLError } from "graphql";
import { NodeResourcesError } from "../../catapult/network/node-resources.js";
import { PropertyError } from "../../catapult/network/properties.js";
import { NodeError, NodeUnavailableError } from "../../catapult/wire/errors.js";
import { ApiError, serviceUnavailable } from "./errors.js";

/**
 * PostgreSQL: classes 08 (connection), 28 (login), 53 (resources), 58 (files), 57P0x (going down or not up yet); no such
 * database; 25006 takes no changes, as one does that was replaced; 40001, 40P01 and 57014 came too late.
 */
const UNAVAILABLE_STATES = /^(08...|25006|28...|3D000|40001|40P01|53...|57014|57P0.|58...)$/;
/** Of a socket that was connected; whatever goes wrong with connecting has `connect` or `getaddrinfo` as its system call. */
const SOCKET_ERRORS = new Set(["ECONNRESET", "EHOSTUNREACH", "ENETUNREACH", "EPIPE", "ETIMEDOUT"]);
const CONNECTING = new Set(["connect", "getaddrinfo"]);
/** What the driver throws without a code. */
const DRIVER_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|not queryable/;

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
  if (original instanceof NodeResourcesError) return serviceUnavailable(original.message, original);
  if (original instanceof PropertyError) {
    return serviceUnavailable(`the files of CATAPULT_RESOURCES: ${original.message}`, original);
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

/** Looks at what an error says of itself: those of the network have no class of their own. */
function isDatabaseUnavailable(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  // Node tries every address of a name, and says of each what went wrong.
  if ("errors" in error && Array.isArray(error.errors)) return error.errors.some(isDatabaseUnavailable);
  const code = "code" in error ? String(error.code) : "";
  if (UNAVAILABLE_STATES.test(code) || SOCKET_ERRORS.has(code)) return true;
  if ("syscall" in error && CONNECTING.has(String(error.syscall))) return true;
  return "message" in error && DRIVER_MESSAGES.test(String(error.message));
}
