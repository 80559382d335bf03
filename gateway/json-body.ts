import express, { type RequestHandler } from "express";
import { ApiError } from "../schema/errors.js";

/**
 * Reads a JSON body.
 * @param limitBytes after decompression
 */
export function jsonBody(limitBytes: number): readonly RequestHandler[] {
  return [requireJson, express.json({ limit: limitBytes, type: () => true, strict: false })];
}

const requireJson: RequestHandler = (request, _response, next) => {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    throw new ApiError("UnsupportedMediaType", "Content-Type must be application/json");
  }
  next();
};
