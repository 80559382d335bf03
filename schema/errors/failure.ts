import { GraphQLError } from "graphql";
import type { Logger } from "pino";
import { NodeResourcesError } from "../../catapult/network/node-resources.js";
import { PropertyError } from "../../catapult/network/properties.js";
import { NodeError, NodeUnavailableError } from "../../catapult/wire/errors.js";
import { classifyDatabaseFailure, reportDatabaseLost } from "../../database/outage.js";
import { logLimited } from "../limits/limited-log.js";
import { ApiError, errorCodes, serviceUnavailable } from "./errors.js";

export { reportDatabaseLost } from "../../database/outage.js";

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
  if (classifyDatabaseFailure(original)) {
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
  { requestId, client, log }: { readonly requestId: string; readonly client: string; readonly log: Logger },
  message: string,
): void {
  const { code, cause } = failure;
  if (errorCodes[code].status < 500) return;
  const isState = code === "ServiceUnavailable" && cause === undefined;
  const expected = isState ? failure : cause instanceof NodeUnavailableError && cause;
  if (expected) log.debug({ requestId, code, reason: expected.message }, message);
  else if (reportDatabaseLost(log, cause, { requestId, code })) return;
  else logLimited(log, client, { requestId, code, err: cause ?? failure }, message);
}

/** Executors wrap errors of resolvers, more than once for an invalid variable. */
function unwrap(error: unknown): unknown {
  let original = error;
  while (original instanceof GraphQLError && original.originalError) original = original.originalError;
  return original;
}
