import type { Request, Response } from "express";
import { chooseEncoding, compress } from "./compression.js";

export const JSON_TYPE = "application/json; charset=utf-8";

/** Sends a whole body, compressed where the client takes that and it is worth it. HEAD gets the headers only. */
export async function send(
  request: Request,
  response: Response,
  status: number,
  body: string,
  contentType = JSON_TYPE,
): Promise<void> {
  const size = Buffer.byteLength(body);
  const encoding = request.method === "HEAD" ? undefined : chooseEncoding(request, size);
  const compressed = encoding && (await compress(Buffer.from(body), encoding));
  response.statusCode = status;
  response.setHeader("Content-Type", contentType);
  response.setHeader("Vary", "Accept-Encoding");
  response.setHeader("Content-Length", compressed?.length ?? size);
  if (encoding) response.setHeader("Content-Encoding", encoding);
  response.end(request.method === "HEAD" ? undefined : (compressed ?? body));
}
