import express, { type RequestHandler } from "express";
import { ApiError } from "../schema/errors.js";
import type { Behaviour } from "./compatibility.js";
import { referenceMediaType } from "./reference-messages.js";

/**
 * Reads a JSON body.
 * @param limitBytes after decompression
 */
export function jsonBody(limitBytes: number, behaviour?: Behaviour): readonly RequestHandler[] {
  return [
    requireJson(behaviour?.usesReferenceMessages === true),
    express.json({ limit: limitBytes, type: () => true, strict: false }),
  ];
}

function requireJson(usesReferenceMessages: boolean): RequestHandler {
  return (request, _response, next) => {
    const { "content-type": given = "" } = request.headers;
    const [type = ""] = given.split(";");
    if (type.trim().toLowerCase() !== "application/json") {
      throw usesReferenceMessages
        ? referenceMediaType(given || undefined)
        : new ApiError("UnsupportedMediaType", "Content-Type must be application/json");
    }
    next();
  };
}
