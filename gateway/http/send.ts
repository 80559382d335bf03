import type { IncomingMessage, ServerResponse } from "node:http";
import { giveBack } from "../../catapult/json/recycled-bytes.js";
import { chooseEncoding, compress, type Encoding } from "./compression.js";
import type { CachedAnswer } from "./response-cache.js";
import { addHeader, addHeaders, bodyHeaders, writeHead } from "./response-head.js";

export const JSON_TYPE = "application/json; charset=utf-8";

/** Compressible types; images and the like are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|xml)|image\/svg)/;

/**
 * Sends a whole body, compressed if the client accepts it and it is worth it. HEAD gets the headers only. The body is
 * given back when it was sent, see `copyOf`: the caller must not use it again.
 */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  contentType = JSON_TYPE,
): Promise<void> {
  const size = Buffer.byteLength(body);
  const encoding = encodingFor(request, size, contentType);
  const compressed = encoding && (await compress(typeof body === "string" ? Buffer.from(body) : body, encoding));
  // If the connection is lost before, the memory may still be in use: it is left to the garbage collection.
  if (typeof body !== "string") response.once("finish", () => giveBack(body));
  end(request, response, status, compressed ?? body, compressed?.length ?? size, contentType, encoding);
}

/** Sends a cached response, at once unless it has to be compressed first. */
export function sendCached(
  request: IncomingMessage,
  response: ServerResponse,
  cached: CachedAnswer,
): Promise<void> | undefined {
  const { body, contentType } = cached.answer;
  const encoding = encodingFor(request, body.length, contentType);
  const form = cached.form(encoding);
  if (!form) return cached.compressed(encoding as Encoding).then(() => sendCached(request, response, cached));
  addHeaders(response, form.headers);
  writeHead(response, 200);
  response.end(form.body);
  return undefined;
}

/** Answers that the client's copy is still current. */
export function sendNotModified(response: ServerResponse): void {
  addHeader(response, "Vary", "Accept-Encoding");
  writeHead(response, 304);
  response.end();
}

function encodingFor(request: IncomingMessage, size: number, contentType: string): Encoding | undefined {
  const accepts = request.headers["accept-encoding"] !== undefined && request.method !== "HEAD";
  return accepts && COMPRESSIBLE.test(contentType) ? chooseEncoding(request, size) : undefined;
}

function end(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  bytes: string | Buffer,
  size: number,
  contentType: string,
  encoding: Encoding | undefined,
): void {
  const headers = bodyHeaders(contentType, size, encoding);
  for (const name in headers) addHeader(response, name, headers[name] as string);
  writeHead(response, status);
  response.end(request.method === "HEAD" ? undefined : bytes);
}
