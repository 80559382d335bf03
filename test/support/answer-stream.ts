const HEAD_END = "\r\n\r\n";

/** Splits what a server sends over one connection into its answers. */
export class AnswerStream {
  /** The bodies that were received as a whole, in their order. */
  readonly bodies: string[] = [];
  /** Bytes. */
  received = 0;
  #rest = Buffer.alloc(0);

  /** @throws Error for an answer whose status is not 200, or without a length */
  push(data: Buffer): void {
    this.received += data.length;
    this.#rest = Buffer.concat([this.#rest, data]);
    for (;;) {
      const headEnd = this.#rest.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = this.#rest.toString("latin1", 0, headEnd);
      const length = /^content-length: (\d+)$/im.exec(head)?.[1];
      if (!head.startsWith("HTTP/1.1 200 ") || length === undefined)
        throw new Error(`Unexpected answer: ${head}\n${this.#rest.toString("latin1", headEnd)}`);
      const start = headEnd + HEAD_END.length;
      const end = start + Number(length);
      if (this.#rest.length < end) return;
      this.bodies.push(this.#rest.toString("utf8", start, end));
      this.#rest = this.#rest.subarray(end);
    }
  }
}
