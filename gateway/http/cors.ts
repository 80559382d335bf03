import type { RequestHandler } from "express";

const DAY_SECONDS = 86_400;
const EXPOSED = "Content-Disposition, Content-MetalText, ETag, Retry-After, X-Request-Id";

/** The headers of all responses, names and values in turn: a cache in between may serve one to another page. */
export const CORS_HEADERS: readonly string[] = [
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Expose-Headers",
  EXPOSED,
];

/** Allows pages of every origin to use the interface: its data is public, and cookies are not used. */
export const cors: RequestHandler = (request, response, next) => {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Access-Control-Expose-Headers", EXPOSED);
  if (request.method === "OPTIONS") {
    response.setHeader("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, OPTIONS");
    response.setHeader("Access-Control-Allow-Headers", "Content-Type, If-None-Match, Last-Event-ID");
    response.setHeader("Access-Control-Max-Age", DAY_SECONDS);
  }
  next();
};
