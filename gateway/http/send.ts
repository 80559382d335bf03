import { createHash, hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import express, { type Request } from "express";

export const JSON_TYPE = "application/json; charset=utf-8";

/** Compressible types; images and the like are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|xml)|image\/svg)/;

/** A text, bytes, or bytes in parts as texts with one character for each of them (see `JsonWriter.parts`). */
export type Body = string | Buffer | readonly string[];

/** A body as it is sent, and the headers that depend on it. */
export interface Sendable {
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;
}

/** A whole body as it is sent: compressed if the client accepts it and it is worth it. */
export async function sendable(request: IncomingMessage, body: Body, contentType: string): Promise<Sendable> {
  const size = measureSize(body);
  const mayCompress = request.method !== "HEAD" && COMPRESSIBLE.test(contentType);
  const encoding = mayCompress ? chooseEncoding(request, size) : undefined;
  const headers = { "Content-Type": contentType, Vary: "Accept-Encoding" };
  if (!encoding) return { body, headers: { ...headers, "Content-Length": String(size) } };
  const compressed = await compress(toBytes(body), encoding);
  const length = String(compressed.length);
  return { body: compressed, headers: { ...headers, "Content-Length": length, "Content-Encoding": encoding } };
}

/** Sends a whole body, compressed as {@link sendable} says. HEAD gets the headers only. */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: Body,
  contentType = JSON_TYPE,
): Promise<void> {
  const ready = await sendable(request, body, contentType);
  response.writeHead(status, { ...ready.headers, ...varyOf(response) });
  endWith(request, response, ready.body);
}

/** What a response depends on: what was set before, or the encoding alone. */
export function varyOf(response: ServerResponse): { readonly Vary: string } {
  return { Vary: String(response.getHeader("Vary") ?? "Accept-Encoding") };
}

/** Sends a body after the headers, and ends the response. */
export function endWith(request: IncomingMessage, response: ServerResponse, body: Body): void {
  if (request.method === "HEAD") response.end();
  // ASCII takes half the time as latin1.
  else if (typeof body === "string") response.end(body, body.length === measureSize(body) ? "latin1" : "utf8");
  else if (Buffer.isBuffer(body)) response.end(body);
  else {
    const last = body.length - 1;
    for (let index = 0; index < last; ++index) response.write(body[index], "latin1");
    response.end(body[last] ?? "", "latin1");
  }
}

/** The bytes of a body. */
export function toBytes(body: Body): Buffer {
  if (typeof body === "string") return Buffer.from(body);
  return Buffer.isBuffer(body) ? body : Buffer.from((body as readonly string[]).join(""), "latin1");
}

/** Size of a body in bytes. */
export function measureSize(body: Body): number {
  if (typeof body === "string" || Buffer.isBuffer(body)) return Buffer.byteLength(body);
  return (body as readonly string[]).reduce((sum, { length }) => sum + length, 0);
}

/** Answers that the client's copy is still current. @param headers of the copy */
export function sendNotModified(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const name of ["Cache-Control", "ETag"]) {
    const value = headers[name];
    if (value !== undefined) response.setHeader(name, value);
  }
  response.writeHead(304, { ...varyOf(response) });
  response.end();
}

/** Below this size the headers cost as much as compression saves, in bytes. */
const MIN_BYTES = 1400;
/** Much cheaper than the default of 11, which is meant for files. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 5;
/** Maximum number of values of Accept-Encoding whose result is remembered: each kind of client sends its own. */
const MAX_KNOWN = 100;
/** Longer ones are sent by no usual client, in characters. */
const MAX_KNOWN_LENGTH = 100;

export const gzipOptions = { level: GZIP_LEVEL };
export const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };

const runGzip = promisify(gzip);
const runBrotli = promisify(brotliCompress);

export type Encoding = "br" | "gzip";

/** Results by Accept-Encoding. */
const known = new Map<string, Encoding | undefined>();

/** The encoding for a body of this size: one that the client accepts, or none for small bodies. */
export function chooseEncoding(request: IncomingMessage, bytes: number): Encoding | undefined {
  return bytes < MIN_BYTES ? undefined : acceptedEncoding(request);
}

/** The encoding that the client prefers. */
export function acceptedEncoding(request: IncomingMessage): Encoding | undefined {
  const accepted = request.headers["accept-encoding"];
  if (accepted === undefined) return undefined;
  const text = String(accepted);
  if (known.has(text)) return known.get(text);
  // Express' own way to read the header, on a request that has no such method by its type.
  const best = express.request.acceptsEncodings.call(request as Request, "br", "gzip", "identity");
  const encoding = best === "br" || best === "gzip" ? best : undefined;
  if (known.size < MAX_KNOWN && text.length <= MAX_KNOWN_LENGTH) known.set(text, encoding);
  return encoding;
}

/** Compresses on another thread. */
export function compress(body: Buffer, encoding: Encoding): Promise<Buffer> {
  return encoding === "gzip"
    ? runGzip(body, gzipOptions)
    : runBrotli(body, {
        params: {
          ...brotliOptions.params,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      });
}

const DIGITS = 27;

/** The entity tag of a body. It is weak: the body may be sent compressed or not. */
export function entityTag(body: Body): string {
  return `W/"${digest(body).slice(0, DIGITS)}"`;
}

function digest(body: Body): string {
  if (typeof body === "string" || Buffer.isBuffer(body)) return hash("sha1", body, "base64url");
  if (body.length === 1) return hash("sha1", body[0] as string, "base64url");
  const sum = createHash("sha1");
  for (const part of body as readonly string[]) sum.update(part, "latin1");
  return sum.digest("base64url");
}

/** Whether a client has the response with an entity tag, as its If-None-Match says. */
export function isKnown(tag: string, { headers }: IncomingMessage): boolean {
  const { "if-none-match": known } = headers;
  if (known === undefined) return false;
  return known === tag || known.trim() === "*" || isAmong(tag, known);
}

/** Ours contain no comma. */
function isAmong(tag: string, ifNoneMatch: string): boolean {
  // Long lists take a while to split.
  if (!ifNoneMatch.includes(tag.slice(tag.indexOf('"')))) return false;
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((text) => opaque(text) === opaque(tag));
}
