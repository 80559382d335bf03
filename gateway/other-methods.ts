import type { RequestHandler } from "express";
import { ApiError } from "../schema/errors.js";

/** Answers OPTIONS, and rejects the methods that a path has not. @param methods that it has, besides OPTIONS */
export function otherMethods(methods: readonly string[]): RequestHandler {
  const allow = [...methods, "OPTIONS"].join(", ");
  return (request, response) => {
    response.setHeader("Allow", allow);
    if (request.method !== "OPTIONS") {
      throw new ApiError("MethodNotAllowed", `${request.method} is not allowed here, but ${allow}`);
    }
    response.statusCode = 204;
    response.end();
  };
}
