import type { Framing } from "./framing.js";

/** Up to this size a message is copied into one buffer, in bytes: cheaper than writing it in parts. */
const SMALL_BYTES = 16 * 1024;
/** JSON text has these between its tokens only. */
const LINE_BREAKS = /[\r\n]+/g;

interface Framed {
  readonly topic: string;
  readonly parts: readonly Buffer[];
}

/**
 * An event in its transmitted form. Its bytes are created once, and shared by the messages of all topics and
 * connections: for a large event, a message adds only its first bytes, which name the topic.
 */
export class RenderedEvent {
  readonly sequence: number;
  readonly #ending: Buffer;
  /** The last message of a small event, by protocol: most connections spell the topic in the same way. */
  #framed: Map<Framing, Framed> | undefined;

  /** @param data JSON text */
  constructor(sequence: number, data: string) {
    this.sequence = sequence;
    this.#ending = Buffer.from(`${data.replace(LINE_BREAKS, " ")},"sequence":${sequence}}`);
  }

  /** Size of the shared bytes. */
  get size(): number {
    return this.#ending.length;
  }

  get isSmall(): boolean {
    return this.size <= SMALL_BYTES;
  }

  /** The message `{topic, data, sequence}` of a topic, on one line, in consecutive parts. */
  framed(topic: string, framing: Framing): readonly Buffer[] {
    const known = this.#framed?.get(framing);
    if (known?.topic === topic) return known.parts;
    const start = framing.start(`{"topic":${JSON.stringify(topic)},"data":`, this.size, this.sequence);
    const parts = [start, this.#ending, ...(framing.end.length > 0 ? [framing.end] : [])];
    if (!this.isSmall) return parts;
    const framed = { topic, parts: [Buffer.concat(parts)] };
    this.#framed ??= new Map();
    this.#framed.set(framing, framed);
    return framed.parts;
  }
}
