import type { IncomingMessage, ServerResponse } from "node:http";
import { chooseEncoding, compress } from "./compression.js";

export const JSON_TYPE = "application/json; charset=utf-8";

/** Compressible types; images and the like are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|xml)|image\/svg)/;

/** A body as it is sent, and the headers that depend on it. */
export interface Sendable {
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** A whole body as it is sent: compressed if the client accepts it and it is worth it. */
export async function sendable(
  request: IncomingMessage,
  body: string | Buffer,
  contentType: string,
): Promise<Sendable> {
  const size = Buffer.byteLength(body);
  const mayCompress = request.method !== "HEAD" && COMPRESSIBLE.test(contentType);
  const encoding = mayCompress ? chooseEncoding(request, size) : undefined;
  const headers = { "Content-Type": contentType, Vary: "Accept-Encoding" };
  if (!encoding) return { body, headers: { ...headers, "Content-Length": String(size) } };
  const compressed = await compress(typeof body === "string" ? Buffer.from(body) : body, encoding);
  const length = String(compressed.length);
  return { body: compressed, headers: { ...headers, "Content-Length": length, "Content-Encoding": encoding } };
}

/** Sends a whole body, compressed as {@link sendable} says. HEAD gets the headers only. */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  contentType = JSON_TYPE,
): Promise<void> {
  const { body: bytes, headers } = await sendable(request, body, contentType);
  response.writeHead(status, headers);
  response.end(request.method === "HEAD" ? undefined : bytes);
}

/** Answers that the client's copy is still current. @param headers of the copy */
export function sendNotModified(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const name of ["Cache-Control", "ETag"]) {
    const value = headers[name];
    if (value !== undefined) response.setHeader(name, value);
  }
  response.writeHead(304, { Vary: "Accept-Encoding" });
  response.end();
}
