import type { RequestHandler } from "express";
import { ApiError } from "../../schema/errors/errors.js";
import { referenceMethodNotAllowed } from "../compatibility/reference-messages.js";

/**
 * Answers OPTIONS, and rejects other methods of a path.
 * @param methods its methods besides OPTIONS
 * @param usesReferenceMessages whether to use catapult-rest's error message
 */
export function otherMethods(methods: readonly string[], usesReferenceMessages = false): RequestHandler {
  const allow = [...methods, "OPTIONS"].join(", ");
  return (request, response) => {
    response.setHeader("Allow", allow);
    if (request.method !== "OPTIONS") {
      if (usesReferenceMessages) throw referenceMethodNotAllowed(request.method, request.headers["content-type"]);
      throw new ApiError("MethodNotAllowed", `${request.method} is not allowed here; allowed: ${allow}`);
    }
    response.statusCode = 204;
    response.end();
  };
}
