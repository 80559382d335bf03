import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Request } from "express";

/** Below it the headers cost as much as is won, in bytes. */
const MIN_BYTES = 1400;
/** Far cheaper than the default of 11, which is meant for files. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 5;

export const gzipOptions = { level: GZIP_LEVEL };
export const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };

const runGzip = promisify(gzip);
const runBrotli = promisify(brotliCompress);

export type Encoding = "br" | "gzip";

/** The encoding to use for a body of so many bytes: one that the client takes, or none for small bodies. */
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
