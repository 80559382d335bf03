import type { Request, Response } from "express";
import { chooseEncoding, compress, type Encoding } from "./compression.js";
import type { CachedAnswer } from "./response-cache.js";

export const JSON_TYPE = "application/json; charset=utf-8";

/** Compressible types; images and the like are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|xml)|image\/svg)/;

/** Sends a whole body, compressed if the client accepts it and it is worth it. HEAD gets the headers only. */
export async function send(
  request: Request,
  response: Response,
  status: number,
  body: string | Buffer,
  contentType = JSON_TYPE,
): Promise<void> {
  const size = Buffer.byteLength(body);
  const encoding = encodingFor(request, size, contentType);
  const compressed = encoding && (await compress(typeof body === "string" ? Buffer.from(body) : body, encoding));
  response.statusCode = status;
  end(request, response, compressed ?? body, compressed?.length ?? size, contentType, encoding);
}

/** Sends a cached response. */
export async function sendCached(request: Request, response: Response, cached: CachedAnswer): Promise<void> {
  const { body, contentType, headers } = cached.answer;
  const encoding = encodingFor(request, body.length, contentType);
  const bytes = encoding ? await cached.compressed(encoding) : body;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  end(request, response, bytes, bytes.length, contentType, encoding);
}

/** Answers that the client's copy is still current. */
export function sendNotModified(response: Response): void {
  response.statusCode = 304;
  response.setHeader("Vary", "Accept-Encoding");
  response.end();
}

function encodingFor(request: Request, size: number, contentType: string): Encoding | undefined {
  const isCompressible = request.method !== "HEAD" && COMPRESSIBLE.test(contentType);
  return isCompressible ? chooseEncoding(request, size) : undefined;
}

function end(
  request: Request,
  response: Response,
  bytes: string | Buffer,
  size: number,
  contentType: string,
  encoding: Encoding | undefined,
): void {
  response.setHeader("Content-Type", contentType);
  response.setHeader("Vary", "Accept-Encoding");
  response.setHeader("Content-Length", size);
  if (encoding) response.setHeader("Content-Encoding", encoding);
  response.end(request.method === "HEAD" ? undefined : bytes);
}
