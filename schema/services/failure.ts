import { GraphQLError } from "graphql";
import type { Logger } from "pino";
import { NodeResourcesError } from "../../catapult/network/node-resources.js";
import { PropertyError } from "../../catapult/network/properties.js";
import { NodeError, NodeUnavailableError } from "../../catapult/wire/errors.js";
import { reportOutage } from "../../database/outage.js";
import { ApiError, errorCodes, serviceUnavailable } from "./errors.js";

/**
 * PostgreSQL: classes 08 (connection), 28 (login), 53 (resources), 58 (files), 57P0x (shutting down or starting); no
 * such database; 25006 read-only, like a replaced primary; 40001, 40P01 and 57014 timed out.
 */
const UNAVAILABLE_STATES = /^(08...|25006|28...|3D000|40001|40P01|53...|57014|57P0.|58...)$/;
/** Of them, those of one statement. */
const OF_STATEMENTS = /^(25006|40001|40P01|53...|57014)$/;
/** Errors of a connected socket; all errors of connecting have `connect` or `getaddrinfo` as their system call. */
const SOCKET_ERRORS = new Set(["ECONNRESET", "EHOSTUNREACH", "ENETUNREACH", "EPIPE", "ETIMEDOUT"]);
const CONNECTING = new Set(["connect", "getaddrinfo"]);
/** Errors of the driver without a code. */
const DRIVER_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|not queryable/;

/**
 * The public form of any error: an ApiError unchanged, ServiceUnavailable if the database or the node is unreachable,
 * otherwise InternalServiceError. Private details are in `cause`.
 */
export function toApiError(error: unknown): ApiError {
  const original = unwrap(error);
  if (original instanceof ApiError) return original;
  if (original instanceof NodeUnavailableError || original instanceof NodeError) {
    return serviceUnavailable("the node is unreachable or sent an invalid response", original);
  }
  if (original instanceof NodeResourcesError) return serviceUnavailable(original.message, original);
  if (original instanceof PropertyError) {
    return serviceUnavailable(`the files of CATAPULT_RESOURCES: ${original.message}`, original);
  }
  if (isDatabaseUnavailable(original)) {
    return serviceUnavailable("the database is unreachable or did not answer in time", original);
  }
  return new ApiError("InternalServiceError", "the gateway failed", { cause: original });
}

/**
 * Logs why a request could not be answered. What is expected is for debugging only: a state such as that of an empty
 * index, about which load balancers ask every second, and that no node can be reached, which the connection itself
 * reports each time it has tried them all.
 */
export function logFailure(
  failure: ApiError,
  { requestId, log }: { readonly requestId: string; readonly log: Logger },
  message: string,
): void {
  const { code, cause } = failure;
  if (errorCodes[code].status < 500) return;
  const isState = code === "ServiceUnavailable" && cause === undefined;
  const expected = isState ? failure : cause instanceof NodeUnavailableError && cause;
  if (expected) log.debug({ requestId, code, reason: expected.message }, message);
  else if (reportDatabaseLost(log, cause, { requestId, code })) return;
  else log.error({ requestId, code, err: cause ?? failure }, message);
}

/** Executors wrap errors of resolvers, more than once for an invalid variable. */
function unwrap(error: unknown): unknown {
  let original = error;
  while (original instanceof GraphQLError && original.originalError) original = original.originalError;
  return original;
}

/**
 * Reports an error that belongs to an outage of the database: it cannot be reached, or rejects connections, but it did not
 * reject or cancel one statement.
 * @returns whether it does
 */
export function reportDatabaseLost(
  log: Logger,
  error: unknown,
  fields: Readonly<Record<string, unknown>> = {},
): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  const isLost = isDatabaseUnavailable(error) && !OF_STATEMENTS.test(code);
  if (isLost) reportOutage(log, error, fields);
  return isLost;
}

/** Inspects the error's fields: network errors have no class of their own. */
function isDatabaseUnavailable(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  // Node tries every address of a name, and reports an error for each.
  if ("errors" in error && Array.isArray(error.errors)) return error.errors.some(isDatabaseUnavailable);
  const code = "code" in error ? String(error.code) : "";
  if (UNAVAILABLE_STATES.test(code) || SOCKET_ERRORS.has(code)) return true;
  if ("syscall" in error && CONNECTING.has(String(error.syscall))) return true;
  return "message" in error && DRIVER_MESSAGES.test(String(error.message));
}
