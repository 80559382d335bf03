import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Request } from "express";

/** Below this size the headers cost as much as compression saves, in bytes. */
const MIN_BYTES = 1400;
/** Much cheaper than the default of 11, which is meant for files. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 5;

export const gzipOptions = { level: GZIP_LEVEL };
export const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };

const runGzip = promisify(gzip);
const runBrotli = promisify(brotliCompress);

export type Encoding = "br" | "gzip";

/** The encoding for a body of this size: one that the client accepts, or none for small bodies. */
export function chooseEncoding(request: Request, bytes: number): Encoding | undefined {
  if (bytes < MIN_BYTES || request.headers["accept-encoding"] === undefined) return undefined;
  const accepted = request.acceptsEncodings("br", "gzip", "identity");
  return accepted === "br" || accepted === "gzip" ? accepted : undefined;
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
