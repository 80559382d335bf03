import type { RequestHandler } from "express";

const DAY_SECONDS = 86_400;
const EXPOSED = "Content-Disposition, Content-MetalText, ETag, Retry-After, X-Request-Id";

/**
 * Lets pages of every origin use the interface: what it gives is public, and no cookie takes part. All answers say so,
 * whoever asks: a cache between may give one to a page that it was not asked for by.
 */
export const cors: RequestHandler = (request, response, next) => {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Access-Control-Expose-Headers", EXPOSED);
  if (request.method === "OPTIONS") {
    response.setHeader("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, OPTIONS");
    response.setHeader("Access-Control-Allow-Headers", "Content-Type, If-None-Match");
    response.setHeader("Access-Control-Max-Age", DAY_SECONDS);
  }
  next();
};
