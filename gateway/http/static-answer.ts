import type { IncomingMessage, ServerResponse } from "node:http";
import { chooseEncoding, compress, type Encoding, entityTag, isKnown, sendNotModified } from "./send.js";

/** A file that never changes: compressed once, and sent only if the browser does not have it. */
export class StaticAnswer {
  readonly #body: Buffer;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();

  constructor(body: Buffer, contentType: string, headers: Readonly<Record<string, string>>) {
    this.#body = body;
    this.#headers = { ...headers, "Content-Type": contentType, Vary: "Accept-Encoding", ETag: entityTag(body) };
  }

  async send(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = this.#headers;
    for (const name in headers) response.setHeader(name, headers[name] as string);
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
