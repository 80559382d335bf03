import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import express, { type Request } from "express";

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
  // Express' own way to read the header; not all requests came through express.
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
