import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliCompress, createGzip } from "node:zlib";
import { brotliOptions, chooseEncoding, type Encoding, gzipOptions, JSON_TYPE, varyOf } from "./send.js";

/**
 * Sends a body in parts, each created when the client has read the previous ones: however large it is, one part of it
 * is in memory. HEAD gets the headers only.
 * @param headers by default those of JSON
 * @throws what the first part throws; when a later one fails, the connection is closed before the body ends
 */
export async function sendParts(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  parts: AsyncIterator<string>,
  headers: Readonly<Record<string, string>> = { "Content-Type": JSON_TYPE },
): Promise<void> {
  const first = await parts.next();
  const encoding = chooseEncoding(request, Number.POSITIVE_INFINITY);
  response.writeHead(status, {
    ...headers,
    ...varyOf(response),
    ...(encoding && { "Content-Encoding": encoding }),
  });
  if (request.method === "HEAD") {
    await parts.return?.();
    response.end();
    return;
  }
  const body = Readable.from(goOn(first, parts), { objectMode: false });
  const compressor = encoding && createCompressor(encoding);
  try {
    await (compressor ? pipeline(body, compressor, response) : pipeline(body, response));
  } catch (error) {
    // The client has disconnected.
    if (!response.closed) throw error;
  }
}

async function* goOn(first: IteratorResult<string>, parts: AsyncIterator<string>): AsyncGenerator<Buffer> {
  try {
    for (let part = first; !part.done; part = await parts.next()) yield Buffer.from(part.value);
  } finally {
    // The client has disconnected: what creates the parts must end too.
    await parts.return?.();
  }
}

function createCompressor(encoding: Encoding): Transform {
  return encoding === "gzip" ? createGzip(gzipOptions) : createBrotliCompress(brotliOptions);
}
