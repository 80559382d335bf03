import type { Request, Response } from "express";
import { chooseEncoding, compress } from "./compression.js";

export const JSON_TYPE = "application/json; charset=utf-8";

/** Types that a compressor makes smaller; pictures and the like are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|xml)|image\/svg)/;

/** Sends a whole body, compressed where the client takes that and it is worth it. HEAD gets the headers only. */
export async function send(
  request: Request,
  response: Response,
  status: number,
  body: string | Buffer,
  contentType = JSON_TYPE,
): Promise<void> {
  const size = Buffer.byteLength(body);
  const isCompressible = request.method !== "HEAD" && COMPRESSIBLE.test(contentType);
  const encoding = isCompressible ? chooseEncoding(request, size) : undefined;
  const compressed = encoding && (await compress(typeof body === "string" ? Buffer.from(body) : body, encoding));
  response.statusCode = status;
  response.setHeader("Content-Type", contentType);
  response.setHeader("Vary", "Accept-Encoding");
  response.setHeader("Content-Length", compressed?.length ?? size);
  if (encoding) response.setHeader("Content-Encoding", encoding);
  response.end(request.method === "HEAD" ? undefined : (compressed ?? body));
}
