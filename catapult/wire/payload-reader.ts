import { ByteReader } from "../entity/byte-reader.js";
import { NodeResponseError } from "./errors.js";

/** Decodes the fields of a node's response. */
export class PayloadReader extends ByteReader {
  readonly #source: { readonly node: string; readonly request: string };

  /** @param source `host:port` of the node and the request, for messages */
  constructor(payload: Buffer, source: { node: string; request: string }) {
    super(payload);
    this.#source = source;
  }

  /** The remaining bytes, in pieces of the same size. */
  rest(size: number, field: string): Buffer[] {
    if (this.remaining % size !== 0) {
      throw this.error(field, `needs pieces of ${size} bytes, ${this.remaining} bytes are left`);
    }
    const pieces: Buffer[] = [];
    while (this.remaining > 0) pieces.push(this.bytes(size, field));
    return pieces;
  }

  error(field: string, problem: string): NodeResponseError {
    return new NodeResponseError(this.#source.node, this.#source.request, field, problem);
  }
}
