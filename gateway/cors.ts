import type { RequestHandler } from "express";

const DAY_SECONDS = 86_400;

/** Lets pages of every origin use the interface: what it gives is public, and no cookie takes part. */
export const cors: RequestHandler = (request, response, next) => {
  if (request.headers.origin !== undefined) {
    response.setHeader("Access-Control-Allow-Origin", "*");
    const exposed = "Content-Disposition, Content-MetalText, ETag, Retry-After, X-Request-Id";
    response.setHeader("Access-Control-Expose-Headers", exposed);
    if (request.method === "OPTIONS") {
      response.setHeader("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, OPTIONS");
      response.setHeader("Access-Control-Allow-Headers", "Content-Type, If-None-Match");
      response.setHeader("Access-Control-Max-Age", DAY_SECONDS);
    }
  }
  next();
};
