import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { chooseEncoding, compress, type Encoding, entityTag, isKnown, sendNotModified, varyOf } from "./send.js";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
};

/** The files of a folder for browsers, by their names. @throws Error when the folder cannot be read */
export function readStaticAnswers(
  folder: string,
  headers: Readonly<Record<string, string>>,
): ReadonlyMap<string, StaticAnswer> {
  const names = readdirSync(folder).filter((name) => CONTENT_TYPES[path.extname(name)]);
  const readAnswer = (name: string) =>
    new StaticAnswer(readFileSync(path.join(folder, name)), CONTENT_TYPES[path.extname(name)]!, headers);
  return new Map(names.map((name) => [name, readAnswer(name)]));
}

/** A file that never changes: compressed once, and sent only if the browser does not have it. */
export class StaticAnswer {
  readonly #body: Buffer;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();

  constructor(body: Buffer, contentType: string, headers: Readonly<Record<string, string>>) {
    this.#body = body;
    this.#headers = { ...headers, "Content-Type": contentType, ETag: entityTag(body) };
  }

  async send(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = this.#headers;
    for (const name in headers) response.setHeader(name, headers[name] as string);
    response.setHeader("Vary", varyOf(response).Vary);
    if (isKnown(headers.ETag as string, request)) return sendNotModified(response, headers);
    const encoding = chooseEncoding(request, this.#body.length);
    const body = encoding ? await this.#compress(encoding) : this.#body;
    if (encoding) response.setHeader("Content-Encoding", encoding);
    response.setHeader("Content-Length", body.length);
    response.end(request.method === "HEAD" ? undefined : body);
  }

  #compress(encoding: Encoding): Promise<Buffer> {
    const known = this.#compressed.get(encoding) ?? compress(this.#body, encoding);
    this.#compressed.set(encoding, known);
    return known;
  }
}
