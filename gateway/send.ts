import type { Request, Response } from "express";
import { chooseEncoding, compress } from "./compression.js";

export const JSON_TYPE = "application/json; charset=utf-8";

/** Sends a whole body, compressed where the client takes that and it is worth it. HEAD gets the headers only. */
export async function send(request: Request, response: Response, status: number, body: string, contentType = JSON_TYPE) {
  let bytes = Buffer.from(body);
  response.statusCode = status;
  response.setHeader("Content-Type", contentType);
  response.setHeader("Vary", "Accept-Encoding");
  const encoding = request.method === "HEAD" ? undefined : chooseEncoding(request, bytes.length);
  if (encoding) {
    bytes = Buffer.from(await compress(bytes, encoding));
    response.setHeader("Content-Encoding", encoding);
  }
  response.setHeader("Content-Length", bytes.length);
  response.end(request.method === "HEAD" ? undefined : bytes);
}
